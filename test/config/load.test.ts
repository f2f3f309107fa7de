import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { InputError } from "../../src/errors.ts";
import { loadConfig } from "../../src/config/load.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("certificate authorities are found beside the configuration", async () => {
  const folder = temporaryFolder();
  const network = [{ id: 1, url: "https://git.example.org/a/b" }];
  const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
  const file = join(folder, "mirrors.json");
  writeFileSync(file, JSON.stringify({ systems, probe: { ca: ["own.pem", "/etc/other.pem"] } }));
  expect((await loadConfig(file)).probe.ca).toEqual([join(folder, "own.pem"), "/etc/other.pem"]);
});

test.each([
  [
    "that is missing",
    "none.json",
    "does not exist; make one with mirrorfeed init, or name yours with --config.",
  ],
  [
    "that is a folder",
    ".",
    "; run mirrorfeed in the folder of mirrors.json, or name the file with --config.",
  ],
])("a configuration %s is an error with its remedy", async (_, name, end) => {
  const error = await loadConfig(join(temporaryFolder(), name)).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InputError);
  expect(String(error)).toSatisfy((message: string) => message.endsWith(end));
});
