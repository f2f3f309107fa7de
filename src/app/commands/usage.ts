import type { CommanderError, CommandUnknownOpts } from "@commander-js/extra-typings";
import { InputError } from "../../core/base/errors.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { printable, quote } from "../../core/base/text/quote.ts";

/** Turns commander's error into a sentence with a remedy. `command` is undefined if none was called. */
export function usageError(
  { code, message }: CommanderError,
  command: CommandUnknownOpts | undefined,
  example: string | undefined,
): InputError {
  const name = command?.name() ?? "mirrorfeed";
  const help = command === undefined ? "mirrorfeed --help" : `mirrorfeed ${name} --help`;
  const [, subject = ""] = /'([^]*?)'/.exec(message) ?? [];
  const meant = /\(Did you mean ([^)]*?)\?\)/.exec(message)?.[1];
  const asIn = example === undefined ? `see ${help}` : `for example: ${example}`;
  switch (code) {
    case "commander.unknownCommand":
      return unknownCommand(subject, meant);
    case "commander.unknownOption": {
      const remedy = meant === undefined ? `${help} lists its options.` : `did you mean ${meant}?`;
      return new InputError(`${name} has no option ${printable(subject)}; ${remedy}`);
    }
    case "commander.missingArgument": {
      const wanted = command?.registeredArguments.filter(({ required }) => required) ?? [];
      return new InputError(`${name} needs ${wanted.map((one) => `<${one.name()}>`).join(" and ")}; ${asIn}`);
    }
    case "commander.missingMandatoryOptionValue":
      return new InputError(`${name} needs ${subject}; ${asIn}`);
    case "commander.optionMissingArgument":
      return new InputError(`${subject} needs a value; add one, or see ${help}.`);
    case "commander.excessArguments": {
      const max = command?.registeredArguments.length ?? 0;
      const takes = max === 0 ? "no arguments" : `only ${formatCount(max, "argument")}`;
      const given = command?.options.find((option) =>
        Array.isArray(command.getOptionValue(option.attributeName())),
      )?.long;
      const remedy =
        given === undefined ? "put each value after its option" : `repeat ${given}: ${given} A ${given} B`;
      return new InputError(`Too many arguments: ${name} takes ${takes}; ${remedy}, or see ${help}.`);
    }
    case "commander.conflictingOption": {
      const [one = "", other = ""] = [...message.matchAll(/'([^' ]+)[^']*'/g)].map(([, option]) => option);
      return new InputError(`${one} cannot be used with ${other}; leave one out.`);
    }
    case "commander.invalidArgument": {
      const [, value = "", choices = ""] =
        /' argument '([^]*)' is invalid\. Allowed choices are ([^]*)\.$/.exec(message) ?? [];
      const [option = ""] = subject.split(" ");
      return new InputError(`${quote(value)} is not a valid value for ${option}; choose one of ${choices}.`);
    }
    default:
      return new InputError(printable(message.replace(/^error: /, ""), 1000));
  }
}

export function unknownCommand(name: string, meant: string | undefined): InputError {
  const remedy = meant === undefined ? "mirrorfeed --help lists all commands." : `did you mean ${meant}?`;
  return new InputError(`${quote(name)} is not a command; ${remedy}`);
}
