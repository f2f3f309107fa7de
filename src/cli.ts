#!/usr/bin/env node
import { Command, CommanderError, InvalidArgumentError } from "@commander-js/extra-typings";
import yoctoSpinner from "yocto-spinner";
import type { ExitCode, Progress, Setting } from "./commands/setting.ts";
import { errorCode, InputError, Interrupted } from "./errors.ts";
import { product } from "./product.ts";
import { quote } from "./quote.ts";

/** sysexits(3): a fault of ours, apart from every exit code that scripts decide by. */
const internalFault = 70;

const interruption = new AbortController();
let exitCode: ExitCode = 0;

const setting: Setting = {
  interrupt: interruption.signal,
  now: () => performance.timeOrigin + performance.now(),
  random: Math.random,
  processes: { own: process.pid, isAlive },
  environment: process.env,
  print: (text) => process.stdout.write(`${text}\n`),
  tell: (text) => process.stderr.write(`${text}\n`),
  color: process.stdout.isTTY && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb",
  progress,
};

const config = ["--config <file>", "the mirrors and the settings", "mirrors.json"] as const;
const out = ["--out <folder>", "the folder of the site", "_site"] as const;
const state = ["--state <file>", "what is remembered between runs", ".mirrorfeed/state.json"] as const;
const json = ["--json", "print JSON on stdout and nothing else"] as const;
const results = ["--results <file>", "write the observations as a file for mirrorfeed build"] as const;
const runId = ["--run <id>", "the id of the run; random where it is left out", readRunId] as const;
const allowPrivate = ["--allow-private", "probe loopback, private and link-local addresses too"] as const;
const dns = ["--dns <address...>", "name servers to ask instead of the system's"] as const;

const program = new Command("mirrorfeed")
  .description("A status API of your mirrors, made of files.")
  .version(product.version)
  .showHelpAfterError("mirrorfeed --help shows what it takes.")
  .exitOverride()
  .configureOutput({
    outputError: (text, write) => {
      write(text);
    },
  });

program
  .command("run")
  .description("probe every mirror, decide, and write the site")
  .option(...config)
  .option(...out)
  .option(...state)
  .option(...results)
  .option(...runId)
  .option(...allowPrivate)
  .option(...dns)
  .option(...json)
  .addHelpText("after", "\nExample: mirrorfeed run --config mirrors.json --out _site")
  .action(async (options) => {
    const { run } = await import("./commands/run.ts");
    exitCode = await run(options, setting);
  });

program
  .command("probe")
  .description("probe every mirror and write only what was observed")
  .option(...config)
  .option(...results)
  .option(...runId)
  .option(...allowPrivate)
  .option(...dns)
  .option(...json)
  .addHelpText("after", "\nExample: mirrorfeed probe --results results.json")
  .action(async (options) => {
    const { probe } = await import("./commands/probe.ts");
    exitCode = await probe(options, setting);
  });

program
  .command("build")
  .description("make the site from observations, without any network")
  .requiredOption("--from <file>", "the observations that mirrorfeed probe wrote")
  .option(...config)
  .option(...out)
  .option(...state)
  .option(...json)
  .addHelpText("after", "\nExample: mirrorfeed build --from results.json --out _site")
  .action(async (options) => {
    const { build } = await import("./commands/build.ts");
    exitCode = await build(options, setting);
  });

program
  .command("serve")
  .description("preview the site with the routing of the contract")
  .option(...out)
  .option("--port <number>", "the port, 0 for any free one", readPort, 8080)
  .option("--host <address>", "the address to listen on", "127.0.0.1")
  .addHelpText("after", "\nExample: mirrorfeed serve --port 8080")
  .action(async (options) => {
    const { serve } = await import("./commands/serve.ts");
    exitCode = await serve(options, setting);
  });

program
  .command("validate")
  .description("check mirrors.json, without any network")
  .option(...config)
  .addHelpText("after", "\nExample: mirrorfeed validate --config mirrors.json")
  .action(async (options) => {
    const { validate } = await import("./commands/validate.ts");
    exitCode = await validate(options, setting);
  });

program
  .command("demo")
  .description("start a small laboratory of mirrors, probe it, and serve its feed")
  .option("--once", "stop after the site is written")
  .option("--port <number>", "the port of the preview, 0 for any free one", readPort, 0)
  .addHelpText("after", "\nExample: mirrorfeed demo")
  .action(async (options) => {
    const { demo } = await import("./commands/demo.ts");
    exitCode = await demo(options, setting);
  });

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void stopBy(signal);
  });
}

// A reader that has seen enough, as in `mirrorfeed run --json | head -1`, is no fault.
process.stdout.on("error", (error) => {
  if (errorCode(error) !== "EPIPE") throw error;
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

function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  return Number(text);
}

function readRunId(text: string): string {
  if (/^[\w.:@/+-]{1,200}$/.test(text)) return text;
  throw new InvalidArgumentError(`${quote(text)} is not 1 to 200 letters, digits or . _ : @ / + -.`);
}
