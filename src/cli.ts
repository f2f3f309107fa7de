#!/usr/bin/env node
import { CommanderError } from "@commander-js/extra-typings";
import yoctoSpinner from "yocto-spinner";
import type { ExitCode, Progress, CommandContext } from "./terminal/context.ts";
import { errorCode, InputError, Interrupted } from "./errors.ts";
import { product } from "./files/package.ts";
import { requireNode } from "./program/node-version.ts";
import { declareProgram, runProgram } from "./program/program.ts";
import { withoutCommands } from "./text/quote.ts";
import { formatCount } from "./text/count.ts";

/** sysexits(3): an error of mirrorfeed itself, apart from every exit code that scripts decide by. */
const internalError = 70;

const interruption = new AbortController();
let exitCode: ExitCode = 0;

const context: CommandContext = {
  interrupt: interruption.signal,
  now: Date.now,
  random: Math.random,
  processes: { own: process.pid, isAlive },
  environment: process.env,
  output: (text) => process.stdout.write(`${withoutCommands(text)}\n`),
  log: (text) => process.stderr.write(`${withoutCommands(text)}\n`),
  color: process.stdout.isTTY && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb",
  terminal:
    process.stdin.isTTY && process.stdout.isTTY
      ? { input: process.stdin, output: process.stdout }
      : undefined,
  progress,
};

const program = declareProgram(context, (code) => {
  exitCode = code;
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void stopBy(signal);
  });
}

// A reader may close stdout early, as in `mirrorfeed run --json | head -1`. That is not an error.
process.stdout.on("error", (error) => {
  const code = errorCode(error);
  if (code === "EPIPE") return;
  process.exit(
    report(code === undefined ? error : new InputError(`The output cannot be written (${code}).`)),
  );
});

process.stderr.on("error", () => {
  // stderr is closed as well. The work of the command and its exit code stay as they are.
});

process.on("uncaughtException", (error) => {
  process.exit(report(error));
});

const finished = main();
await finished;

async function main(): Promise<void> {
  try {
    requireNode(process.version);
    await runProgram(program, process.argv.slice(2), context);
    process.exitCode = exitCode;
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): number {
  if (error instanceof InputError) {
    context.log(`mirrorfeed: ${error.message}`);
    return 2;
  }
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof Interrupted) return 130;
  // Not the arguments, which may hold credentials.
  const command = program.commands.find((one) => one.name() === process.argv[2])?.name() ?? "no command";
  const recipient = product.homepage ?? "the people you have mirrorfeed from";
  context.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  context.log(
    `mirrorfeed: this is an unexpected error of mirrorfeed ${product.version} (${command}, Node.js ${process.version}). Report it, with the lines above, to ${recipient}.`,
  );
  return internalError;
}

/** Lets the command close what it has open, then ends by the signal, so that a calling shell sees it. */
async function stopBy(signal: "SIGINT" | "SIGTERM"): Promise<void> {
  interruption.abort(new Interrupted());
  await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, 1000))]);
  process.kill(process.pid, signal);
}

/** Returns whether a process of this machine is alive. EPERM means that it is. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return errorCode(error) === "EPERM";
  }
}

function progress(title: string, nodes?: number): Progress {
  if (!process.stderr.isTTY) return { step: () => undefined, stop: () => undefined };
  const spinner = yoctoSpinner({
    text: nodes === undefined ? title : `${title} ${formatCount(nodes, "node")}`,
    stream: process.stderr,
  }).start();
  return {
    step: (done) => {
      spinner.text = nodes === undefined ? `${title} ${done}` : `${title} ${done}/${nodes}`;
    },
    stop: () => {
      spinner.stop();
    },
  };
}
