/** What the help of a command ends with. */
export interface Notes {
  /** Each shows something that the defaults do not. */
  readonly examples: readonly [string, string];
  /** The meaning of each exit code, beside those of every command. */
  readonly exitCodes?: Readonly<Record<number, string>>;
}

const offline = "this machine is offline: nothing is decided";
const unknownTarget = "usage, or a target that the feed does not have (the text says which)";
const url = "https://status.example.org/";

/** The notes of each command by its name. */
export const notes: Readonly<Partial<Record<string, Notes>>> = {
  init: {
    examples: [
      "mirrorfeed init status --host nginx --interval 15m",
      "mirrorfeed init --yes --mirror https://git.example.org/a/b --mirror https://github.com/a/b --system community --project a --target b",
    ],
    exitCodes: { 0: "the files are written", 130: "you ended a question" },
  },
  add: {
    examples: [
      "mirrorfeed add https://git.example.org/a/b https://github.com/a/b --to community/jcb/packages --primary",
      "mirrorfeed add https://git.example.org/a/b --to community/jcb/packages --name 'Main server' --json",
    ],
  },
  import: {
    examples: [
      "mirrorfeed import mirrorlist.txt --to community/jcb/packages --dry-run",
      "mirrorfeed import /etc/pacman.d/mirrorlist --to linux/arch/core --format pacman --remove",
    ],
  },
  validate: {
    examples: [
      "mirrorfeed validate --config feeds/mirrors.json --json",
      "mirrorfeed validate --probe-new origin/main",
    ],
    exitCodes: { 1: "a new mirror is not reachable", 3: offline },
  },
  demo: {
    examples: ["mirrorfeed demo --port 9000", "mirrorfeed demo --once"],
  },
  run: {
    examples: [
      "mirrorfeed run --state branch:mirrorfeed-state --out /srv/site",
      'mirrorfeed run --json --run-id "$GITHUB_RUN_ID"',
    ],
    exitCodes: { 0: "done, whatever the statuses are", 3: offline },
  },
  watch: {
    examples: [
      "mirrorfeed watch --interval 5m --out /srv/site --state /var/lib/mirrorfeed/state.json",
      "mirrorfeed watch --dns 192.0.2.53 --dns 192.0.2.54",
    ],
  },
  notify: {
    examples: [
      "mirrorfeed notify --dry-run --channel ops",
      "mirrorfeed notify --state branch:mirrorfeed-state --json",
    ],
    exitCodes: { 0: "nothing that can be sent waits", 1: "a message was not accepted" },
  },
  probe: {
    examples: [
      "mirrorfeed probe --results results.json --shard auto",
      "mirrorfeed probe https://git.example.org/joomla/packages --explain",
    ],
  },
  build: {
    examples: [
      "mirrorfeed build --results results.json --out /srv/site",
      "mirrorfeed build --results europe.json --results asia.json --state branch:mirrorfeed-state",
    ],
    exitCodes: { 3: "the probes were offline: nothing is decided" },
  },
  serve: {
    examples: ["mirrorfeed serve --address 0.0.0.0 --port 9000", "mirrorfeed serve --out /srv/site --port 0"],
  },
  host: {
    examples: [
      "mirrorfeed host nginx --root /srv/site --listen 127.0.0.1:8081 > mirrorfeed.conf",
      "mirrorfeed host netlify --out configuration",
    ],
  },
  publish: {
    examples: [
      "mirrorfeed publish --remote https://github.com/owner/repository --branch site",
      "mirrorfeed publish --history --message 'Publish the feed'",
    ],
    exitCodes: { 3: "the last run was void, so nothing is published" },
  },
  verify: {
    examples: [
      `mirrorfeed verify ${url} --config mirrors.json`,
      "mirrorfeed verify https://owner.github.io/repository/ --profile pages --json",
    ],
    exitCodes: { 1: "a rule is broken", 4: "unknown: the deployment did not answer" },
  },
  check: {
    examples: [
      `mirrorfeed check ${url} community/jcb/packages --min 2 --fresh`,
      `mirrorfeed check ${url} community/jcb/packages --max-age 1h --fail-open`,
    ],
    exitCodes: {
      0: "enough mirrors are reachable",
      1: "too few are reachable",
      2: unknownTarget,
      4: "unknown: the feed cannot be read, or has expired",
    },
  },
  pick: {
    examples: [
      `git clone "$(mirrorfeed pick ${url} community/jcb/packages --fallback https://git.example.org/jcb/packages)"`,
      `mirrorfeed pick ${url} community/jcb/packages --exclude github.com --exclude gitlab.com --country DE --probe`,
    ],
    exitCodes: {
      0: "a mirror or the fallback is printed",
      1: "no mirror is reachable",
      2: unknownTarget,
      4: "unknown: the feed cannot be read, or has expired",
    },
  },
};

/** Returns the meaning of each exit code of a command. */
export function exitCodesOf({ exitCodes }: Notes): Readonly<Record<number, string>> {
  return { 0: "done", 2: "usage or configuration", ...exitCodes };
}

/** Returns the end of the help of a command: its examples and exit codes. */
export function notesText(notes: Notes): string {
  const lines = Object.entries(exitCodesOf(notes)).map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`);
  return `\nExamples:\n${notes.examples.map((example) => `  ${example}`).join("\n")}\n\nExit codes:\n${lines.join("\n")}`;
}
