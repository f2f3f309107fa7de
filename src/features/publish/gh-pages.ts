import process from "node:process";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { publish } from "gh-pages";
import { asError } from "../../core/base/errors.ts";

// This is a separate program for two reasons: gh-pages reads its cache folder and Git's variables from the process
// environment, and its child processes can be stopped only together with the whole program. Standard input has the
// paths to remove, separated by NUL characters.

const value = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    ...{ folder: value, src: { type: "string", multiple: true }, repo: value, branch: value },
    ...{ history: { type: "boolean" }, message: value, name: value, email: value, cname: value },
  },
});
const { folder = "", name = "", email = "", history = false, ...options } = values;

void publish(
  folder,
  {
    ...options,
    history,
    user: { name, email },
    dotfiles: true,
    nojekyll: true,
    // The option `remove` would leave dotfiles behind.
    beforeAdd: async (git) => {
      const gone = (await text(process.stdin)).split("\0").filter((path) => path !== "");
      return gone.length === 0 ? git : git.rm(gone);
    },
  },
  // Errors are passed only to this callback: the promise resolves even if Git fails.
  (error: unknown) => {
    if (!error) return;
    process.stderr.write(`${asError(error).message}\n`);
    process.exitCode = 1;
  },
);
