import { Command, CommanderError, type Option } from "@commander-js/extra-typings";
import { InputError, Interrupted } from "../base/errors.ts";
import { product } from "../base/files/package.ts";
import type { CommandContext, ExitCode } from "../base/terminal/context.ts";
import { closestName } from "../base/text/name.ts";
import { type CommandFile, type Execute, renderNotes } from "./command.ts";
import { unknownCommand, usageError } from "./usage.ts";

/** What `mirrorfeed --help` shows: each command with its arguments, and what it does. */
const overview = {
  "Set up:": {
    "init [folder]": "start a new feed: write mirrors.json and its workflows, asking for what you left out",
    "add <urls...>": "add mirrors to a target in mirrors.json",
    "import <file>": "import another program's list of mirrors into mirrors.json",
    validate: "check mirrors.json, and its new mirrors too if you like",
    demo: "try everything on this machine, with good and bad mirrors",
  },
  "Make the feed:": {
    run: "probe every mirror, decide its status, and write the site",
    "probe [url]": "probe every mirror or one URL, and print or write what was observed",
    build: "write the site from observations made earlier",
    watch: "run at a fixed interval until stopped",
    notify: "send pending notifications",
  },
  "Publish it:": {
    serve: "preview the site, routed as the contract requires",
    publish: "push the site to a Git branch",
    sign: "sign the site's documents, for readers who don't trust its host",
    keygen: "make the key pair for sign",
    "verify <url>": "test a deployment against the contract",
    "host [name]": "print a web server's configuration, or list the hosts",
  },
  "Use a feed:": {
    "check <url> <target>": "ask a feed whether enough mirrors are reachable",
    "pick <url> <target>": "print the best reachable mirror",
    "wait <target>": "wait until enough mirrors have a release",
  },
  "Help:": { "help [command]": "show the help of a command" },
};

/** The file of each command, which is loaded when the command is called. */
export const commandFiles: Readonly<Record<string, () => Promise<CommandFile>>> = {
  init: () => import("./init.ts"),
  add: () => import("./add.ts"),
  import: () => import("./import.ts"),
  validate: () => import("./validate.ts"),
  demo: () => import("./demo.ts"),
  run: () => import("./run.ts"),
  probe: () => import("./probe.ts"),
  build: () => import("./build.ts"),
  watch: () => import("./watch.ts"),
  notify: () => import("./notify.ts"),
  serve: () => import("./serve.ts"),
  publish: () => import("./publish.ts"),
  sign: () => import("./sign.ts"),
  keygen: () => import("./keygen.ts"),
  verify: () => import("./verify.ts"),
  host: () => import("./host.ts"),
  check: () => import("./check.ts"),
  pick: () => import("./pick.ts"),
  wait: () => import("./wait.ts"),
};

/** The version in `engines` of package.json; npm only warns about it. */
export const oldestNode = "20.19";

/** sysexits(3): an error of mirrorfeed itself, apart from every exit code that scripts decide by. */
const internalError = 70;

/** The arguments of a process, and the version of its Node.js, such as `v20.19.0`. */
export interface CommandLine {
  readonly parameters: readonly string[];
  readonly nodeVersion: string;
}

/** Runs a command line, and reports its error. Returns the exit code of the process. */
export async function runCommandLine(line: CommandLine, context: CommandContext): Promise<number> {
  let exitCode: ExitCode = 0;
  try {
    requireNode(line.nodeVersion);
    const program = declareProgram(context, async (action) => {
      exitCode = await action(context);
    });
    await runProgram(program, line.parameters);
    return exitCode;
  } catch (error) {
    return reportError(error, line, context);
  }
}

/** Logs an error for the user. Returns the exit code of the process. */
export function reportError(
  error: unknown,
  { parameters: [name = ""], nodeVersion }: CommandLine,
  { log }: Pick<CommandContext, "log">,
): number {
  if (error instanceof InputError) {
    log(`mirrorfeed: ${error.message}`);
    return 2;
  }
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof Interrupted) return 130;
  // Not the arguments, which may hold credentials.
  const command = Object.hasOwn(commandFiles, name) ? name : "no command";
  const recipient = product.homepage ?? "whoever gave you mirrorfeed";
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  log(
    `mirrorfeed: this is an unexpected error in mirrorfeed ${product.version} (${command}, Node.js ${nodeVersion}). Report it, with the lines above, to ${recipient}.`,
  );
  return internalError;
}

/** Throws InputError if a version of Node.js, such as `v18.20.8`, is older than the oldest that mirrorfeed runs on. */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new InputError(
    `This is Node.js ${version}, and mirrorfeed needs ${oldestNode} or later; install a newer one.`,
  );
}

export function declareProgram(context: Pick<CommandContext, "output" | "log">, execute: Execute): Command {
  const listed = new Map<string, { readonly term: string; readonly command: Command }>();
  const program = new Command("mirrorfeed")
    .description("mirrorfeed tells people and build tools which of your mirrors are up and up to date.")
    .usage("<command> [options]")
    .version(product.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show the help of a command")
    .helpCommand(false)
    .configureHelp({
      optionDescription,
      subcommandTerm: (command) => listed.get(command.name())?.term ?? "",
      showGlobalOptions: false,
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        context.output(text.replace(/\n$/, ""));
      },
      writeErr: (text) => {
        context.log(text.replace(/\n$/, ""));
      },
      // The error is thrown too, and reported then.
      outputError: () => undefined,
    })
    .addHelpText(
      "after",
      "\nmirrorfeed <command> --help shows a command's options, examples and exit codes.\nThe documents are README.md and .github/docs/ in mirrorfeed's package.",
    );
  for (const [group, commands] of Object.entries(overview)) {
    program.commandsGroup(group);
    for (const [term, description] of Object.entries(commands)) {
      const [name = ""] = term.split(" ");
      const command = program.command(name).description(description);
      listed.set(name, { term, command });
      if (name === "help") command.argument("[command]").action((asked) => showHelp(program, asked));
    }
  }
  program.hook("preSubcommand", async (_, called) => {
    const file = await commandFiles[called.name()]?.();
    const command = listed.get(called.name())?.command;
    if (file === undefined || command === undefined) return;
    file.declare(command, execute);
    command.addHelpText("after", renderNotes(file.notes));
  });
  return program;
}

/**
 * Parses the arguments of the process and runs their command. Throws InputError for a usage error, CommanderError after
 * help and version, and the errors of the command.
 */
export async function runProgram(program: Command, parameters: readonly string[]): Promise<void> {
  try {
    await program.parseAsync([...parameters], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode === 0 || error.code === "commander.help")
      throw error;
    const [name = ""] = parameters;
    const file = Object.hasOwn(commandFiles, name) ? await commandFiles[name]?.() : undefined;
    throw usageError(
      error,
      program.commands.find((command) => command.name() === name),
      file?.notes.examples[0],
    );
  }
}

async function showHelp(program: Command, name: string | undefined): Promise<void> {
  const names = program.commands.map((command) => command.name());
  if (name !== undefined && !names.includes(name)) throw unknownCommand(name, closestName(name, names));
  await program.parseAsync([...(name === undefined ? [] : [name]), "--help"], { from: "user" });
}

/** Returns the description of an option with its choices and its default, as a person types them. */
function optionDescription({
  description,
  argChoices,
  defaultValue,
  defaultValueDescription,
}: Option): string {
  const value: unknown = defaultValue;
  const plain = typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  const shown = defaultValueDescription ?? plain;
  const details = [
    ...(argChoices === undefined ? [] : [`one of ${argChoices.join(", ")}`]),
    ...(shown === undefined ? [] : [`default: ${shown}`]),
  ];
  return details.length === 0 ? description : `${description} (${details.join("; ")})`;
}
