import { Command, CommanderError, type Option } from "@commander-js/extra-typings";
import { InputError, Interrupted } from "../../core/base/errors.ts";
import { product } from "../../core/base/files/package.ts";
import type { CommandContext, ExitCode } from "../../core/base/terminal/context.ts";
import { closestName } from "../../core/base/text/name.ts";
import { type CommandFile, type Execute, renderNotes } from "../../core/command/command.ts";
import { unknownCommand, usageError } from "./usage.ts";

/** The command groups of `mirrorfeed --help`. */
const overview = {
  "Set up:": {
    "init [folder]":
      "start a new feed: ask for what the options leave out, then write mirrors.json and its workflows",
    "add <urls...>": "add mirrors to a target in mirrors.json",
    "import <file>": "import another program's list of mirrors into mirrors.json",
    validate: "check mirrors.json and, if you like, probe its new mirrors",
    demo: "try mirrorfeed on this machine, with good and bad mirrors",
  },
  "Make the feed:": {
    run: "probe every mirror, decide its status, and write the site",
    "probe [url]": "probe every mirror or one URL, and print or save the results",
    build: "write the site from results saved earlier",
    watch: "run at a fixed interval until stopped",
    notify: "send pending notifications",
  },
  "Publish it:": {
    serve: "preview the site, with the contract's URLs",
    publish: "push the site to a Git branch",
    sign: "sign the site's documents, for readers who don't trust its host",
    keygen: "make a key pair for mirrorfeed sign",
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

/** Loads a command's file only when the command is called. */
export const commandFiles: Readonly<Record<string, () => Promise<CommandFile>>> = {
  init: () => import("../../features/init/init-command.ts"),
  add: () => import("../../features/add/add-command.ts"),
  import: () => import("../../features/add/import-command.ts"),
  validate: async () => {
    const { validateWith } = await import("../../features/validate/validate-command.ts");
    return validateWith((await import("../config-checks.ts")).configChecks);
  },
  demo: async () => {
    const { demoWith } = await import("../../features/demo/demo-command.ts");
    return demoWith(async (...run) => (await import("../run.ts")).runFeed(...run));
  },
  run: () => import("./run-command.ts"),
  probe: () => import("./probe-command.ts"),
  build: () => import("./build-command.ts"),
  watch: () => import("./watch-command.ts"),
  notify: async () => {
    const { notifyWith } = await import("../../features/notify/notify-command.ts");
    return notifyWith((await import("../advance-feed.ts")).openFeed);
  },
  serve: () => import("../../features/serve/serve-command.ts"),
  publish: () => import("../../features/publish/publish-command.ts"),
  sign: () => import("../../features/trust/sign-command.ts"),
  keygen: () => import("../../features/trust/keygen-command.ts"),
  verify: () => import("../../features/verify/verify-command.ts"),
  host: () => import("../../features/hosts/host-command.ts"),
  check: () => import("../../features/pick/check-command.ts"),
  pick: () => import("../../features/pick/pick-command.ts"),
  wait: () => import("../../features/wait/wait-command.ts"),
};

/** The same as in `engines` of package.json. Checked here too, because npm only warns about an older version. */
export const oldestNode = "20.19";

/** EX_SOFTWARE from sysexits(3). No command returns this exit code, so scripts can recognize an internal error. */
const internalError = 70;

export interface CommandLine {
  readonly parameters: readonly string[];
  /** Such as `v20.19.0`. */
  readonly nodeVersion: string;
}

/** Runs a command line and reports its error, if any. Returns the exit code of the process. */
export async function runCommandLine(line: CommandLine, context: CommandContext): Promise<number> {
  let exitCode: ExitCode = 0;
  try {
    requireNode(line.nodeVersion);
    refuseControlCharacters(line.parameters);
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
  // The arguments are not shown, because they may contain credentials.
  const command = Object.hasOwn(commandFiles, name) ? name : "no command";
  const recipient = product.homepage ?? "whoever gave you mirrorfeed";
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  log(
    `mirrorfeed: unexpected error in mirrorfeed ${product.version} (${command}, Node.js ${nodeVersion}). Please report it, with the lines above, to ${recipient}.`,
  );
  return internalError;
}

/** Throws InputError if a version such as `v18.20.8` is too old. */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new InputError(
    `mirrorfeed needs Node.js ${oldestNode} or later, and this is ${version}; install a newer version.`,
  );
}

/** Throws InputError, which does not quote the argument, because it may contain credentials. */
function refuseControlCharacters(parameters: readonly string[]): void {
  const index = parameters.findIndex((parameter) => /\p{Cc}/u.test(parameter));
  if (index >= 0)
    throw new InputError(
      `Argument ${index + 1} contains a line break or other control character; remove it.`,
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
      // Prints nothing, because commander also throws the error, and `runProgram` rewords it.
      outputError: () => undefined,
    })
    .addHelpText(
      "after",
      "\nmirrorfeed <command> --help shows a command's options, examples and exit codes.\nDocumentation: README.md and .github/docs/ in mirrorfeed's package.",
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
 * Parses the arguments and runs the command. Throws InputError for a usage error, and CommanderError after printing
 * help or the version. Passes on errors from the command.
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

/** Returns an option's description with its choices and default, as a person would type them. */
function optionDescription(option: Option): string {
  const { description, argChoices, defaultValueDescription } = option;
  const value: unknown = option.defaultValue;
  const plain = typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  const shown = defaultValueDescription ?? plain;
  const details = [
    ...(argChoices === undefined ? [] : [`one of ${argChoices.join(", ")}`]),
    ...(shown === undefined ? [] : [`default: ${shown}`]),
  ];
  return details.length === 0 ? description : `${description} (${details.join("; ")})`;
}
