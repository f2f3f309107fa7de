import { writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { execPath } from "node:process";
import { program } from "./child.ts";
import { recorded } from "./command-context.ts";
import { listenOnLoopback } from "./loopback.ts";
import { asWritten, runInFolder } from "./in-process.ts";

/**
 * Puts a `mirrorfeed` command for shells into a folder. The command runs in this process, which is faster than a new one, and
 * works until `close` is called. It reads no input, and signals don't reach it.
 */
export async function openShellCommand(
  folder: string,
): Promise<{ readonly path: string; readonly close: () => Promise<void> }> {
  const server = createServer((socket) => {
    // As in src/cli.ts: a reader may close the output early.
    socket.on("error", () => undefined);
    void answer(socket);
  });
  const { port, close } = await listenOnLoopback(server);
  const path = join(folder, "mirrorfeed");
  writeFileSync(path, scriptOf(port), { mode: 0o755 });
  return { path, close };
}

/**
 * Returns the script of the command. It sends the working folder, the arguments and the environment to this process, then
 * carries out the replies. Each reply has a kind and a text. Every item in either direction ends in a zero byte.
 */
function scriptOf(port: number): string {
  return `#!/bin/bash
# Node.js reads this variable only when it starts, so this needs a new process.
[ -z "$NODE_EXTRA_CA_CERTS" ] || exec "${execPath}" "${program}" "$@"
exec 3<>/dev/tcp/127.0.0.1/${port}
{ printf '%s\\0' "$PWD" "$#" "$@"; env -0; printf '\\0'; } >&3
while IFS= read -r -d '' kind && IFS= read -r -d '' text; do
  case $kind in output) printf %s "$text" ;; log) printf %s "$text" >&2 ;; code) exit "$text" ;; esac
done <&3
exit 70
`;
}

async function answer(socket: Socket): Promise<void> {
  const { folder, parameters, environment } = await read(socket);
  const send = (kind: string, text: string): void => {
    socket.write(`${kind}\0${text}\0`);
  };
  const { context } = recorded({
    now: Date.now,
    environment,
    output: (text) => {
      send("output", asWritten(text));
    },
    log: (text) => {
      send("log", asWritten(text));
    },
  });
  send("code", String(await runInFolder(parameters, folder, context)));
  socket.end();
}

/** Reads what the command's script sends. */
async function read(socket: Socket) {
  let text = "";
  for await (const chunk of socket.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const [folder = "", count = "", ...rest] = text.split("\0");
    const variables = rest.slice(Number(count), -2);
    // There is at least one variable, and none is an empty string, so two zero bytes end the list.
    if (variables.length === 0 || !text.endsWith("\0\0")) continue;
    const pairs = variables.map((pair): [string, string] => {
      const [name = ""] = pair.split("=", 1);
      return [name, pair.slice(name.length + 1)];
    });
    return {
      folder,
      parameters: rest.slice(0, Number(count)),
      environment: Object.fromEntries(pairs),
    };
  }
  throw new Error("The command ended before it had sent everything.");
}
