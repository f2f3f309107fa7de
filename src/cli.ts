#!/usr/bin/env node
import type { Progress, CommandContext } from "./core/base/terminal/context.ts";
import { errorCode, InputError, Interrupted } from "./core/base/errors.ts";
import { reportError, runCommandLine } from "./app/commands/program.ts";
import { visible } from "./core/base/text/quote.ts";
import { paint } from "./app/commands/paint.ts";
import { formatCount } from "./core/base/text/count.ts";

const commandLine = { parameters: process.argv.slice(2), nodeVersion: process.version };
// Loaded only if needed, because it takes 5% of a command's startup time.
const spinner = process.stderr.isTTY ? await import("yocto-spinner") : undefined;

// http-server makes calls that newer versions of Node.js warn about. Users could do nothing about the warnings.
process.noDeprecation = true;

const interruption = new AbortController();
const hasColor = process.stdout.isTTY && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";

const context: CommandContext = {
  interrupt: interruption.signal,
  now: Date.now,
  random: Math.random,
  processes: { pid: process.pid, isAlive },
  environment: process.env,
  output: (text) => process.stdout.write(`${hasColor ? paint(visible(text)) : visible(text)}\n`),
  log: (text) => process.stderr.write(`${visible(text)}\n`),
  terminal:
    process.stdout.isTTY && process.stdin.isTTY
      ? { input: process.stdin, output: process.stdout }
      : undefined,
  progress,
};

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void stopBy(signal);
  });
}

// A reader may close stdout early, as in `mirrorfeed run --json | head -1`. That is not an error.
process.stdout.on("error", (error: unknown) => {
  const code = errorCode(error);
  if (code === "EPIPE") return;
  const problem = code === undefined ? error : new InputError(`Cannot write to stdout (${code}).`);
  process.exit(reportError(problem, commandLine, context));
});

process.stderr.on("error", () => {
  // stderr may be closed too. The command still does its work and returns its exit code.
});

process.on("uncaughtException", (error) => {
  process.exit(reportError(error, commandLine, context));
});

const finished = runCommandLine(commandLine, context).then((code) => {
  process.exitCode = code;
});
await finished;

/**
 * Gives the command up to a second to clean up. Then ends this process with the signal, so that a calling shell can see
 * which signal ended the process.
 */
async function stopBy(signal: "SIGINT" | "SIGTERM"): Promise<void> {
  interruption.abort(new Interrupted());
  await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, 1000))]);
  process.kill(process.pid, signal);
}

/** EPERM means that the process is alive, but belongs to a different user. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return errorCode(error) === "EPERM";
  }
}

function progress(title: string, nodes?: number): Progress {
  if (spinner === undefined) return { step: () => undefined, stop: () => undefined };
  const text = nodes === undefined ? title : `${title} ${formatCount(nodes, "mirror")}`;
  const all = nodes === undefined ? "" : `/${nodes}`;
  const shown = spinner.default({ text, stream: process.stderr }).start();
  return {
    step: (done) => {
      shown.text = `${title} ${done}${all}`;
    },
    stop: () => {
      shown.stop();
    },
  };
}
