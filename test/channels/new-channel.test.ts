import { appendFileSync, copyFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../src/channels/channel.ts";
import { startChild } from "../support/child.ts";
import { receiver } from "../support/receiver.ts";
import { message, sendContext } from "../support/sending.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = join(import.meta.dirname, "../..");
const guide = readFileSync(join(root, ".github/docs/add-a-channel.md"), "utf8");

let copy: string;

beforeAll(() => {
  copy = temporaryFolder();
  cpSync(join(root, "src"), join(copy, "src"), { recursive: true });
  for (const name of ["package.json", "tsconfig.json"]) copyFileSync(join(root, name), join(copy, name));
  for (const name of ["node_modules", "public"]) symlinkSync(join(root, name), join(copy, name));
  const [, template = ""] = /^```ts\n(.*?)^```$/ms.exec(guide) ?? [];
  const [, line = ""] = /registry\.ts`: `([^`]+)`/.exec(guide) ?? [];
  const [, entry = ""] = /^ {3}`(strict\([^`]+)`$/m.exec(guide) ?? [];
  writeFileSync(join(copy, "src/channels/matrix.ts"), template);
  appendFileSync(join(copy, "src/channels/registry.ts"), `${line}\n`);
  const schema = readFileSync(join(root, "src/config/channels.ts"), "utf8");
  const place = '    strict({ type: typeKey("email")';
  writeFileSync(join(copy, "src/config/channels.ts"), schema.replace(place, `${entry}\n${place}`));
  buildSync({
    entryPoints: [join(copy, "src/cli.ts"), join(copy, "src/channels/registry.ts")],
    outdir: join(copy, "dist"),
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
});

test("the template of a channel compiles", { timeout: 120_000 }, () => {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const typeRoots = [join(root, "node_modules/@types")];
  const compiled = ts.createProgram([join(copy, "src/config/channels.ts")], { ...options, typeRoots });
  const problems = ts
    .getPreEmitDiagnostics(compiled)
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  expect(compiled.getSourceFile(join(copy, "src/channels/matrix.ts"))?.text).toContain("m.notice");
  expect(problems).toEqual([]);
});

test("one new file and two lines add a channel: mirrors.json may name it", async () => {
  const network = [{ id: 1, url: "https://git.example.org/a" }];
  const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
  const entry = { type: "matrix", server: "https://matrix.example.org", tokenEnv: "MATRIX_TOKEN" };
  const validate = (room: string) => {
    const channels = { chat: { ...entry, room } };
    writeFileSync(
      join(copy, "mirrors.json"),
      JSON.stringify({ systems, channels, notify: { to: ["chat"] } }),
    );
    return startChild(process.execPath, [join(copy, "dist/cli.js"), "validate"], { folder: copy }).ending;
  };
  expect(await validate("!abc:example.org")).toMatchObject({ code: 0 });
  const wrong = await validate("#abc:example.org");
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("must be the id of a room");
});

test("it sends a message", async () => {
  const { matrix } = (await import(
    /* @vite-ignore */ pathToFileURL(join(copy, "dist/channels/registry.js")).href
  )) as { matrix: Channel };
  const { url, requests } = await receiver();
  const entry = { server: url, room: "!abc:example.org", tokenEnv: "MATRIX_TOKEN" };
  expect(await matrix.send(message(), entry, sendContext())).toMatchObject({ outcome: "failed" });
  const secrets = { MATRIX_TOKEN: "syt_secret" };
  expect(await matrix.send(message(), entry, sendContext({ secrets }))).toEqual({ outcome: "sent" });
  expect(requests).toMatchObject([
    {
      method: "PUT",
      path: "/_matrix/client/v3/rooms/!abc%3Aexample.org/send/m.room.message/00000000000000a1",
      headers: { authorization: "Bearer syt_secret" },
      body: expect.stringContaining("git.example.org is offline\\nIt did not accept"),
    },
  ]);
});
