import process from "node:process";
import { parseArgs } from "node:util";
import { publish } from "gh-pages";
import { asError } from "../../core/base/errors.ts";
import { internalFolder } from "../../core/base/files/site-file.ts";

// This is a separate program for two reasons: gh-pages reads its cache folder and Git's variables from the process
// environment, and its child processes can be stopped only together with the whole program.

const value = { type: "string" } as const;
const { values } = parseArgs({
  options: { folder: value, repo: value, branch: value, message: value, cname: value },
});
const { folder = "", ...options } = values;
const { GIT_AUTHOR_NAME: name = "", GIT_AUTHOR_EMAIL: email = "" } = process.env;

void publish(
  folder,
  {
    ...options,
    src: ["**/*", `!${internalFolder}/**`],
    user: { name, email },
    history: false,
    dotfiles: true,
    nojekyll: true,
  },
  // Errors are passed only to this callback: the promise resolves even if Git fails.
  (error: unknown) => {
    if (!error) return;
    process.stderr.write(`${asError(error).message}\n`);
    process.exitCode = 1;
  },
);
