import { describe, expect, test } from "vitest";
import { clientProblem, jcb, configWarnings, privateUrlProblem } from "../../src/config/warnings.ts";
import { validateConfig } from "../../src/config/validate.ts";

function feed(...urls: readonly string[]): string {
  const network = urls.map((url, index) => ({ id: index + 1, url }));
  return JSON.stringify({
    systems: [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }],
  });
}

describe("a URL for Joomla Component Builder", () => {
  const end = "; give a URL such as https://host/organization/repository";

  test.each([
    ["https://git.example.org/joomla/packages"],
    ["https://git.example.org//joomla/packages//"],
    ["http://git.example.org/joomla/.github"],
  ])("fits: %s", (url) => {
    expect(clientProblem(url)).toBeUndefined();
  });

  test.each([
    [
      "https://git.example.org/",
      "it needs an organization and a repository in the path, and without them fails for the whole target",
    ],
    ["https://git.example.org/a/b/c", 'it reads only "a/b" of the path'],
    ["https://git.example.org//a//b", 'it reads only "a/" of the path'],
    ["https://git.example.org/a/b.git", 'it keeps ".git", so it looks for "b.git" instead of "b"'],
    ["https://git.example.org:8443/a/b", "it drops the port 8443"],
    ["http://git.example.org:81/a/b/c.git", 'it reads only "a/b" of the path; it drops the port 81'],
  ])("does not fit, and the problem says why: %s", (url, reasons) => {
    expect(clientProblem(url)).toBe(`"${url}" does not fit ${jcb.name}: ${reasons}${end}`);
  });
});

test("warnings name the place of each URL they are about", () => {
  const config = validateConfig(
    feed("https://git.example.org/a/b", "http://127.0.0.1/a/b.git"),
    "mirrors.json",
  );
  const url = "http://127.0.0.1/a/b.git";
  const path = ["systems", 0, "projects", 0, "targets", 0, "network", 1, "url"];
  expect(configWarnings(config, { client: "jcb" })).toEqual([
    { code: "private_address", path, message: privateUrlProblem(url) },
    { code: "client", path, message: clientProblem(url) },
  ]);
});
