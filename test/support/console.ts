import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { env, execPath } from "node:process";
import { program, startChild } from "./child.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface ConsoleOptions {
  /** The working folder. */
  readonly folder: string;
  /** Replacements for parts of the commands, such as the feed's address. */
  readonly replaced?: Readonly<Record<string, string>>;
  readonly environment?: NodeJS.ProcessEnv;
}

interface Step {
  readonly command: string;
  /** The lines of stdout and stderr. */
  readonly output: readonly string[];
}

/** Joins stdout and stderr into one stream, as on a terminal, and turns off curl's progress meter. */
const prelude = 'exec 2>&1; curl() { command curl --silent --show-error "$@"; }';

/** In a document's sample, this line matches any number of lines. */
const omission = "…";

/**
 * Runs the commands of a `console` block in one shell. A command follows "$ ", and continues on the next line after a
 * backslash. Returns the block with the output of its commands, and masks everything that changes from run to run. A line "…"
 * in the block matches any number of lines, and stays in the result.
 */
export async function runConsole(
  block: string,
  { folder, replaced = {}, environment = {} }: ConsoleOptions,
): Promise<string> {
  const steps = stepsOf(block);
  const bin = join(temporaryFolder("mirrorfeed-bin-"), "bin");
  mkdirSync(bin);
  const command = `#!/bin/sh\nexec "${execPath}" "${program}" "$@"\n`;
  writeFileSync(join(bin, "mirrorfeed"), command, { mode: 0o755 });
  const here = (command: string): string =>
    Object.entries(replaced).reduce((text, [from, to]) => text.replaceAll(from, to), command);
  // `(exit $code)` restores the command's exit code, which the next command may read.
  const script = steps
    .map(({ command }) => `${here(command)}\ncode=$?; printf '\\0'; (exit $code)`)
    .join("\n");
  const { stdout } = await startChild("/bin/sh", ["-c", `${prelude}\n${script}`], {
    folder,
    environment: { ...environment, PATH: `${bin}${delimiter}${environment["PATH"] ?? env["PATH"] ?? ""}` },
  }).ending;
  const outputs = stdout.split("\0");
  const shown = steps.map(({ command, output }, index) => {
    const lines = withoutChance((outputs[index] ?? "").trimEnd()).split("\n");
    const isSame = isLike(withoutChance(output.join("\n")).split("\n"), lines);
    return formatStep({ command, output: isSame ? output : lines });
  });
  return withoutChance(shown.join(""));
}

/**
 * Masks what changes from run to run: ports, times, durations, commit ids, and the non-zero counts of `verify`, since the
 * demo's incidents depend on the day.
 */
export function withoutChance(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, "DURATION")
    .replaceAll(/\b[\da-f]{40}\b/g, "COMMIT")
    .replaceAll(/^Checked \d[^]*? failed\.$/gm, (counts) => counts.replaceAll(/\b[1-9]\d*/g, "N"));
}

function stepsOf(block: string): Step[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const lines = text.trimEnd().split("\n");
      const last = lines.findIndex((line) => !line.endsWith("\\"));
      return { command: lines.slice(0, last + 1).join("\n"), output: lines.slice(last + 1) };
    });
}

function formatStep({ command, output }: Step): string {
  return [`$ ${command}`, ...output.filter((line, index) => index > 0 || line !== ""), ""].join("\n");
}

function isLike(expected: readonly string[], lines: readonly string[]): boolean {
  const cut = expected.indexOf(omission);
  if (cut < 0) return expected.join("\n") === lines.join("\n");
  const [before, after] = [expected.slice(0, cut), expected.slice(cut + 1)];
  const isBegun = before.join("\n") === lines.slice(0, cut).join("\n");
  const isEnded = after.length === 0 || after.join("\n") === lines.slice(-after.length).join("\n");
  return isBegun && isEnded && lines.length >= before.length + after.length;
}
