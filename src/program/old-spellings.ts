/** The options of earlier releases, by command, with their names now. They work for one minor version, with a warning. */
const renamed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  run: { "--run": "--run-id" },
  probe: { "--run": "--run-id" },
  watch: { "--every": "--interval" },
  init: { "--schedule": "--interval" },
  serve: { "--host": "--address" },
};

/** The options that took several values after each other, by command. */
const lists: Readonly<Record<string, readonly string[]>> = {
  run: ["--dns"],
  probe: ["--dns"],
  watch: ["--dns"],
  validate: ["--dns"],
  verify: ["--system"],
  pick: ["--exclude"],
  init: ["--mirror", "--control"],
};

/** Returns the options of a command that are repeated for each of their values. */
export function repeatedOptions(command: string): readonly string[] {
  return Object.hasOwn(lists, command) ? (lists[command] ?? []) : [];
}

/** Returns each old spelling of an option with the one to write. */
export function oldSpellings(): { command: string; before: string; now: string }[] {
  return [
    ...Object.entries(renamed).flatMap(([command, names]) =>
      Object.entries(names).map(([before, now]) => ({ command, before, now })),
    ),
    ...Object.entries(lists).flatMap(([command, names]) =>
      names.map((name) => ({ command, before: `${name} A B`, now: `${name} A ${name} B` })),
    ),
  ];
}

/** What a command takes. */
export interface Syntax {
  readonly name: string;
  /** The options that take a value. */
  readonly withValue: readonly string[];
  /** How many arguments it needs, and how many it takes. */
  readonly arguments: { readonly min: number; readonly max: number };
}

/** The arguments of a command in the spelling of this release, and a warning for each old spelling. */
export interface Modernized {
  readonly parameters: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Returns the arguments after the name of a command without old spellings. Values after each other are those of an
 * option only if they cannot be arguments of the command.
 */
export function modernize(parameters: readonly string[], syntax: Syntax): Modernized {
  const names = renamed[syntax.name] ?? {};
  const warnings = new Set<string>();
  const plain = parts(parameters, syntax, Object.keys(names)).map(([option = "", ...rest]) => {
    const [, name = "", value] = /^(--[^=]+)(=[^]*)?$/.exec(option) ?? [];
    const now = Object.hasOwn(names, name) ? names[name] : undefined;
    if (now === undefined) return [option, ...rest];
    warnings.add(`${name} is now ${now}; the old name ends with the next minor version.`);
    return [now + (value ?? ""), ...rest];
  });
  return { parameters: joinLists(plain, syntax, warnings), warnings: [...warnings] };
}

type Part = readonly string[];

/** Returns the arguments in parts: an option with its value, or a single argument. After `--` nothing is an option. */
function parts(parameters: readonly string[], { withValue }: Syntax, old: readonly string[]): Part[] {
  const found: Part[] = [];
  for (let index = 0; index < parameters.length;) {
    const one = parameters[index] ?? "";
    if (one === "--") return [...found, parameters.slice(index)];
    const length = withValue.includes(one) || old.includes(one) ? 2 : 1;
    found.push(parameters.slice(index, index + length));
    index += length;
  }
  return found;
}

/** Repeats an option for each of the values after it that are not arguments. */
function joinLists(all: readonly Part[], syntax: Syntax, warnings: Set<string>): string[] {
  const options = lists[syntax.name] ?? [];
  const { min, max } = syntax.arguments;
  const followers = all.map((_, index) => followsList(all, index, options));
  const isArgument = (part: Part): boolean => part[0]?.startsWith("-") === false;
  const following = followers.filter((option) => option !== undefined).length;
  const others = all.filter((part, index) => isArgument(part) && followers[index] === undefined).length;
  const areValues = others >= min && others + following > max;
  return all.flatMap((part, index) => {
    const option = followers[index];
    const isUrlForFolder = syntax.name === "init" && /^https?:/.test(part[0] ?? "");
    if (option === undefined || !(areValues || isUrlForFolder)) return part;
    warnings.add(
      `Repeat ${option} for each of its values; several values after it end with the next minor version.`,
    );
    return [option, ...part];
  });
}

/** Returns the option of a list that an argument stands behind, perhaps after others of its values. */
function followsList(all: readonly Part[], index: number, options: readonly string[]): string | undefined {
  if (all[index]?.[0]?.startsWith("-") !== false) return undefined;
  for (let before = index - 1; before >= 0; before -= 1) {
    const [first = ""] = all[before] ?? [];
    if (options.includes(first)) return first;
    if (first.startsWith("-")) return undefined;
  }
  return undefined;
}
