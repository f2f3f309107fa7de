import { expect, test } from "vitest";
import { sentenceOf } from "../../support/child.ts";
import { runInProcess } from "../../support/in-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();

/** Returns the error message. Throws if the exit code is not 2, or if anything else is printed. */
async function sentence(command: string): Promise<string> {
  return sentenceOf(await runInProcess(command.split(" "), { folder }));
}

const feed = "https://status.example.org/";
const target = "community/jcb/packages";
const asIn = `for example: mirrorfeed check ${feed} ${target} --min 2 --fresh`;

/** These commands fail without reading mirrors.json. */
test.each<[command: string, sentence: string]>([
  ["rnu", '"rnu" is not a command; did you mean run?'],
  ["nonsense", '"nonsense" is not a command; mirrorfeed --help lists all commands.'],
  ["help rnu", '"rnu" is not a command; did you mean run?'],
  ["run --confg x", "run has no option --confg; did you mean --config?"],
  ["run --nonsense", "run has no option --nonsense; mirrorfeed run --help lists its options."],
  [
    "run extra",
    "Too many arguments: run takes no arguments; put each value after its option, or see mirrorfeed run --help.",
  ],
  [
    `pick --exclude a.example.org b.example.org ${feed} ${target}`,
    "Too many arguments: pick takes only 2 arguments; repeat --exclude: --exclude A --exclude B, or see mirrorfeed pick --help.",
  ],
  [
    "probe http://127.0.0.1:1/ --dns nowhere",
    "--dns takes the address of a name server, optionally with a port, such as 192.0.2.53:53.",
  ],
  ["serve --port", "--port <number> needs a value; add one, or see mirrorfeed serve --help."],
  ["watch --interval 60", '"60" is not a valid interval, since it has no unit; write 60s, 60m or 60h.'],
  [
    `check status.example.org ${target}`,
    '"status.example.org" has no scheme; write "https://status.example.org".',
  ],
  [
    "probe git.example.org/a/b",
    'The URL "git.example.org/a/b" has no scheme; write "https://git.example.org/a/b".',
  ],
  [
    `pick ${feed} ${target} --fallback git.example.org/a/b`,
    '--fallback: "git.example.org/a/b" has no scheme; write "https://git.example.org/a/b".',
  ],
  [
    `pick ${feed} ${target} --format yaml`,
    '"yaml" is not a valid value for --format; choose one of url, list, json, env.',
  ],
  [`pick ${feed} ${target} --json --format env`, "--json cannot be used with --format; leave one out."],
])("mirrorfeed %s: %s", async (command, expected) => {
  expect(await sentence(command)).toBe(expected);
});

test.each<[command: string, start: string]>([
  ["check", `check needs <url> and <target>; ${asIn}`],
  [`check ${feed}`, `check needs <url> and <target>; ${asIn}`],
  ["build", "build needs --results <file>; for example: mirrorfeed build --results results.json --out"],
])("mirrorfeed %s names what is missing and shows an example", async (command, start) => {
  const { code, stdout, stderr } = await runInProcess(command.split(" "), { folder });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^mirrorfeed: [^\n]+\n$/);
  expect(stderr).toContain(`mirrorfeed: ${start}`);
});
