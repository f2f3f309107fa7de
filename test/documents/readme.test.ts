import { expect, test } from "vitest";
import { declareProgram } from "../../src/program/program.ts";
import { startProgram } from "../support/child.ts";
import { recorded } from "../support/command-context.ts";
import { loadDocument } from "../support/document.ts";

const { text: readme } = loadDocument("README.md");

test("the README has at most 1,500 words", () => {
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1500);
});

test("its table of commands is what the program has", () => {
  const { commands } = declareProgram(recorded().context, () => undefined);
  const listed = [...readme.matchAll(/^\| `mirrorfeed (\w+)/gm)].map(([, name]) => name);
  const known = commands.map((command) => command.name()).filter((name) => name !== "help");
  expect(listed.sort()).toEqual(known.sort());
});

test("the demo answers the README's request with the answer below it, but for ports", async () => {
  const [, url = "", answer = ""] = /^\$ curl (\S+)\n(.*)\n/m.exec(readme) ?? [];
  const demo = startProgram(["demo"], { folder: "." });
  try {
    await expect.poll(demo.stderr).toContain("Ctrl-C ends it");
    const [, port = ""] = /127\.0\.0\.1:(\d+)\/ /.exec(demo.stderr()) ?? [];
    const response = await fetch(Object.assign(new URL(url), { port }));
    const withoutPorts = (text: string): string => text.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1");
    expect(withoutPorts(await response.text())).toBe(`${withoutPorts(answer)}\n`);
    expect(new URL(url).port).toBe("8080");
  } finally {
    demo.process.kill("SIGINT");
    await demo.ending;
  }
});
