#!/usr/bin/env node
import { CommanderError } from "@commander-js/extra-typings";
import yoctoSpinner from "yocto-spinner";
import type { ExitCode, Progress, Setting } from "./commands/setting.ts";
import { errorCode, InputError, Interrupted } from "./errors.ts";
import { declareProgram } from "./program/program.ts";
import { withoutCommands } from "./quote.ts";

/** sysexits(3): a fault of ours, apart from every exit code that scripts decide by. */
const internalFault = 70;

const interruption = new AbortController();
let exitCode: ExitCode = 0;

const setting: Setting = {
  interrupt: interruption.signal,
  now: Date.now,
  random: Math.random,
  processes: { own: process.pid, isAlive },
  environment: process.env,
  print: (text) => process.stdout.write(`${withoutCommands(text)}\n`),
  tell: (text) => process.stderr.write(`${withoutCommands(text)}\n`),
  color: process.stdout.isTTY && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb",
  terminal:
    process.stdin.isTTY && process.stdout.isTTY
      ? { input: process.stdin, output: process.stdout }
      : undefined,
  progress,
};

const program = declareProgram(setting, (code) => {
  exitCode = code;
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void stopBy(signal);
  });
}

// A reader that has seen enough, as in `mirrorfeed run --json | head -1`, is no fault.
process.stdout.on("error", (error) => {
  const code = errorCode(error);
  if (code === "EPIPE") return;
  process.exit(
    report(code === undefined ? error : new InputError(`The output cannot be written (${code}).`)),
  );
});

process.stderr.on("error", () => {
  // Nobody is left to be told of it; what the command did stands all the same, and so does its exit code.
});

process.on("uncaughtException", (error) => {
  process.exit(report(error));
});

const finished = main();
await finished;

async function main(): Promise<void> {
  try {
    await program.parseAsync();
    process.exitCode = exitCode;
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): number {
  if (error instanceof InputError) {
    setting.tell(`mirrorfeed: ${error.message}`);
    return 2;
  }
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof Interrupted) return 130;
  setting.tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return internalFault;
}

/** Lets the command end what it has open, and then dies of the signal, so that a calling shell knows. */
async function stopBy(signal: "SIGINT" | "SIGTERM"): Promise<void> {
  interruption.abort(new Interrupted());
  await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, 1000))]);
  process.kill(process.pid, signal);
}

/** Whether a process of this machine is alive; one that may not be signalled is. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return errorCode(error) === "EPERM";
  }
}

function progress(title: string, total: number): Progress {
  if (!process.stderr.isTTY) return { step: () => undefined, stop: () => undefined };
  const spinner = yoctoSpinner({ text: `${title} ${total} nodes`, stream: process.stderr }).start();
  return {
    step: (done) => {
      spinner.text = `${title} ${done}/${total}`;
    },
    stop: () => {
      spinner.stop();
    },
  };
}
