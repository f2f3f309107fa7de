import { describe, expect, test } from "vitest";
import type { InitFlags } from "../../../src/features/init/answers.ts";
import { askMissing } from "../../../src/features/init/questions.ts";
import { Interrupted } from "../../../src/core/base/errors.ts";
import { keys, type Reply, scriptedTerminal } from "../../support/terminal.ts";

const { enter, down, up, clear } = keys;
const first = "https://git.example.org/joomla/Packages.git";
const second = "https://mirror.example.org/joomla/packages";

const whole: readonly Reply[] = [
  [/What do the mirrors contain/, enter],
  [/The URL of a mirror/, `${first}${enter}`],
  [/The URL of another mirror/, `${second}${enter}`],
  [/The URL of another mirror/, enter],
  [/The name of the system/, enter],
  [/The name of the project/, enter],
  [/The name of the target/, enter],
  [/Where will the feed/, enter],
  [/The site.s URL/, enter],
  [/do the others copy/, enter],
];

async function ask(replies: readonly Reply[], flags: InitFlags = {}, signal = new AbortController().signal) {
  const terminal = scriptedTerminal(replies);
  const answers = await askMissing(flags, terminal, signal);
  return { answers, seen: terminal.seen(), left: terminal.left() };
}

const suggested: InitFlags = {
  kind: "git",
  suite: undefined,
  mirror: [first, second],
  system: "community",
  project: "joomla",
  target: "packages",
  host: "github-pages",
  url: undefined,
  primary: undefined,
};

describe("the questions of init", () => {
  test("suggest names from the URL of the first mirror, and the rest", async () => {
    expect(await ask(whole)).toMatchObject({ answers: suggested, left: [] });
  });

  test("take other answers", async () => {
    const other: readonly Reply[] = [
      [/The name of the system/, `${clear}sys${enter}`],
      [/The name of the project/, `${clear}pro${enter}`],
      [/The name of the target/, `${clear}tar${enter}`],
      [/Where will the feed/, `${down}${down}${enter}`],
      [/The site.s URL/, `https://status.example.org/x/${enter}`],
      [/do the others copy/, `${down}${down}${enter}`],
    ];
    expect((await ask([...whole.slice(0, 4), ...other])).answers).toEqual({
      ...{ ...suggested, system: "sys", project: "pro", target: "tar" },
      ...{ host: "apache", url: "https://status.example.org/x/", primary: second },
    });
  });

  test("ask an archive for its suite, and suggest names from both", async () => {
    const archive: readonly Reply[] = [
      [/What do the mirrors contain/, `${up}${enter}`],
      [/The suite to check/, `not a suite${enter}`],
      [/must be a suite/, `${clear}bookworm${enter}`],
      [/The URL of a mirror/, `https://deb.example.org/debian?x${enter}`],
      [/has a query/, `${clear}https://deb.example.org/debian/${enter}`],
      ...whole.slice(3, -1),
    ];
    expect((await ask(archive)).answers).toMatchObject({
      ...{ kind: "apt", suite: "bookworm", mirror: ["https://deb.example.org/debian/"] },
      ...{ project: "debian", target: "bookworm" },
    });
  });

  test("are asked again, with the reason, until the answer is right", async () => {
    const { answers, seen } = await ask([
      ...whole.slice(0, 1),
      [/The URL of a mirror/, enter],
      [/is not a URL/, `ftp://x.example.org/a${enter}`],
      [/only http and https/, `${clear}${first}${enter}`],
      [/The URL of another mirror/, `${first}/${enter}`],
      [/is given twice/, `${clear}${second}${enter}`],
      ...whole.slice(3, 4),
      [/The name of the system/, `${clear}Sys${enter}`],
      [/must contain only a-z/, `${clear}community${enter}`],
      ...whole.slice(5, 8),
      [/The site.s URL/, `x${enter}`],
      [/is not a URL/, `${clear}${enter}`],
      ...whole.slice(9),
    ]);
    expect(answers).toEqual(suggested);
    expect(seen).toContain("Done.");
  });

  test("are not asked for what a flag says", async () => {
    const flags = { ...suggested, url: "https://a.example.org", project: undefined, primary: first };
    const { answers, seen } = await ask([whole[5] ?? ["", ""]], flags);
    expect(answers).toMatchObject({ ...flags, project: "joomla" });
    expect(seen).not.toMatch(/url|system|target|published/);
  });

  test("suggest no name that none may have", async () => {
    const mirror = ["https://git.example.org/con/_x"];
    const replies: readonly Reply[] = [
      [/The name of the project/, enter],
      [/is empty/, `pro${enter}`],
      [/The name of the target/, enter],
      [/is empty/, `tar${enter}`],
    ];
    const all = [...whole.slice(0, 1), ...whole.slice(4, 5), ...replies, ...whole.slice(7)];
    const { answers } = await ask(all, { mirror });
    expect(answers).toMatchObject({ project: "pro", target: "tar" });
  });
});

describe("the questions end without an answer", () => {
  test("by Ctrl-C at any of them", async () => {
    for (const [index, [question]] of whole.entries()) {
      const replies: readonly Reply[] = [...whole.slice(0, index), [question, keys.interrupt]];
      await expect(ask(replies)).rejects.toThrow(Interrupted);
    }
  });

  test("by the interrupt, before and while one is asked", async () => {
    const controller = new AbortController();
    const asked = ask([], {}, controller.signal);
    controller.abort(new Interrupted());
    await expect(asked).rejects.toThrow(Interrupted);
    await expect(ask(whole, {}, controller.signal)).rejects.toThrow(Interrupted);
  });
});
