#!/usr/bin/env node
import { Command, CommanderError, Option } from "@commander-js/extra-typings";
import yoctoSpinner from "yocto-spinner";
import { readListen, readPort, readRunId, readShard, readTime, readVantage } from "./commands/arguments.ts";
import type { ExitCode, Progress, Setting } from "./commands/setting.ts";
import { errorCode, InputError, Interrupted } from "./errors.ts";
import { product } from "./product.ts";

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
const state = [
  "--state <place>",
  "what is remembered: a file, or branch:NAME",
  ".mirrorfeed/state.json",
] as const;
const stateRemote = ["--state-remote <url>", "the remote of the state's branch instead of origin"] as const;
const vantage = ["--vantage <name>", "the place this runs from", readVantage] as const;
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
  .option(...stateRemote)
  .option(...results)
  .option(...runId)
  .option(...vantage)
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
  .option("--shard <i/n>", "probe only the i-th of n parts of the nodes", readShard)
  .option(...results)
  .option(...runId)
  .option(...vantage)
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
  .requiredOption(
    "--from <files...>",
    "the observations that mirrorfeed probe wrote, of all shards and vantages",
  )
  .option(...config)
  .option(...out)
  .option(...state)
  .option(...stateRemote)
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
  .command("publish")
  .description("make the site the content of a branch of any git remote")
  .option(...out)
  .option(...config)
  .option(
    "--remote <url>",
    "where to publish; origin of the repository around mirrors.json where it is left out",
  )
  .option("--branch <name>", "the branch", "gh-pages")
  .option("--history", "add a commit to the branch; else it has one commit only")
  .option("--message <text>", "the message of the commit")
  .option(...json)
  .addHelpText(
    "after",
    "\nExample: mirrorfeed publish --remote https://github.com/owner/repository --branch gh-pages",
  )
  .action(async (options) => {
    const { publish } = await import("./commands/publish.ts");
    exitCode = await publish(options, setting);
  });

program
  .command("watch")
  .description("run for ever, on a steady beat")
  .option("--every <time>", "the beat, such as 60s, 5m or 1h", readTime, 60_000)
  .option(...config)
  .option(...out)
  .option(...state)
  .option(...stateRemote)
  .option(...vantage)
  .option(...allowPrivate)
  .option(...dns)
  .addHelpText("after", "\nExample: mirrorfeed watch --every 60s")
  .action(async ({ every, ...options }) => {
    const { watch } = await import("./commands/watch.ts");
    exitCode = await watch({ ...options, everyMs: every }, setting);
  });

program
  .command("verify")
  .description("test any deployment against the contract")
  .argument("<url>", "where the site is, with its path")
  .option(
    "--config <file>",
    "the mirrors.json the deployment was made from; else the API itself gives the names",
  )
  .option("--system <name...>", "the systems of an API that has no list of them")
  .addOption(
    new Option("--profile <name>", "what the host can do")
      .choices(["full", "pages"] as const)
      .default("full" as const),
  )
  .option(...json)
  .addHelpText("after", "\nExample: mirrorfeed verify https://status.example.org/ --config mirrors.json")
  .action(async (url, options) => {
    const { verify } = await import("./commands/verify.ts");
    exitCode = await verify({ url, ...options }, setting);
  });

program
  .command("host")
  .description("print the configuration of a web server, or list the hosts")
  .argument("[name]", "the host; all are listed where it is left out")
  .option(...config)
  .option("--listen <address:port>", "where the server listens", readListen, { address: "0.0.0.0", port: 80 })
  .option("--root <folder>", "the folder of the site, as the server sees it", "_site")
  .option("--out <folder>", "write the files there instead of printing the first")
  .option("--markdown", "list the hosts as Markdown")
  .addHelpText("after", "\nExample: mirrorfeed host nginx --root /srv/site > mirrorfeed.conf")
  .action(async (name, options) => {
    const { host } = await import("./commands/host.ts");
    exitCode = await host(name, options, setting);
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
