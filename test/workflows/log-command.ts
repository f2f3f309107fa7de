/** A line in a step's output that the runner executes. */
export interface LogCommand {
  readonly name: string;
  readonly properties: string;
  readonly data: string;
}

const names = new Set(
  `add-mask add-matcher add-path debug echo endgroup error group internal-set-repo-path notice remove-matcher
  save-state set-env set-output stop-commands warning`.split(/\s+/),
);

/**
 * Returns the commands that the runner finds in a step's output (actions/runner, ActionCommand.cs). Only white space may
 * precede `::name …::data` in its line; `##[name …]data` can be anywhere. Commands between `::stop-commands::TOKEN` and
 * `::TOKEN::` are ignored.
 */
export function readCommands(output: string): LogCommand[] {
  const commands: LogCommand[] = [];
  let resume: string | undefined;
  for (const line of output.split(/\r\n|\r|\n/)) {
    const command = parseCommand(line, resume);
    if (command === undefined) continue;
    if (resume !== undefined) {
      if (command.name === resume) resume = undefined;
    } else if (command.name === "stop-commands") {
      resume = command.data;
    } else {
      commands.push(command);
    }
  }
  if (resume !== undefined) throw new Error("The step stops the commands, and does not resume them.");
  return commands;
}

function parseCommand(line: string, resume: string | undefined): LogCommand | undefined {
  for (const pattern of [/^\s*::([^\s:]+) ?(.*?)::(.*)$/, /##\[([^\s\]]+) ?(.*?)\](.*)$/]) {
    const [, name = "", properties = "", data = ""] = pattern.exec(line) ?? [];
    if (names.has(name) || (name !== "" && name === resume)) return { name, properties, data };
  }
  return undefined;
}
