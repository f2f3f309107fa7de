import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { mirrorsJson } from "../../../support/mirrors-json.ts";
import { receiver } from "../../../support/receiver.ts";
import { message, sendContext } from "../../../support/sending.ts";
import {
  addImport,
  buildCopy,
  compiled,
  copyExample,
  copySource,
  editSource,
  type ProgramOfCopy,
} from "../../../support/source-copy.ts";
import { matrix } from "./matrix.ts";

const types = "core/config/channels.ts";
const registry = "features/notify/channels/channel-registry.ts";

let copy: string;
let program: ProgramOfCopy;

beforeAll(async () => {
  copy = copySource();
  copyExample(copy, "core/config/matrix-type.ts");
  addImport(copy, types, "matrix", "./matrix-type.ts");
  editSource(copy, types, "} satisfies Record", "  matrix,\n} satisfies Record");
  copyExample(copy, "features/notify/channels/matrix.ts");
  addImport(copy, registry, "matrix", "./matrix.ts");
  editSource(copy, registry, ", webhook }", ", webhook, matrix }");
  program = await buildCopy(copy);
});

test("the example of a channel compiles", { timeout: 120_000 }, () => {
  const { files, problems } = compiled(copy, `src/${registry}`);
  expect(files).toContain("src/core/config/matrix-type.ts");
  expect(files).toContain("src/features/notify/channels/matrix.ts");
  expect(problems).toEqual([]);
});

test("a type, a file and a line of the registry add a channel: mirrors.json may name it", async () => {
  const network = [{ id: 1, url: "https://git.example.org/a" }];
  const entry = { type: "matrix", server: "https://matrix.example.org", tokenEnv: "MATRIX_TOKEN" };
  const validate = (room: string) => {
    const channels = { chat: { ...entry, room } };
    const file = mirrorsJson(network, { channels, notify: { to: ["chat"] } });
    writeFileSync(join(copy, "mirrors.json"), JSON.stringify(file));
    return program(copy, "validate");
  };
  expect(await validate("!abc:example.org")).toMatchObject({ code: 0 });
  const wrong = await validate("#abc:example.org");
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("must be the id of a room");
});

test("it sends a message", async () => {
  const { url, requests } = await receiver();
  const entry = { server: url, room: "!abc:example.org", tokenEnv: "MATRIX_TOKEN" };
  expect(await matrix.send(message(), entry, await sendContext())).toMatchObject({ outcome: "failed" });
  const context = await sendContext({ environment: { MATRIX_TOKEN: "syt_secret" } });
  expect(await matrix.send(message(), entry, context)).toEqual({ outcome: "sent" });
  const path = `/_matrix/client/v3/rooms/!abc%3Aexample.org/send/m.room.message/${message().id}`;
  expect(requests).toMatchObject([{ method: "PUT", path, headers: { authorization: "Bearer syt_secret" } }]);
  expect(requests[0]?.body).toContain("git.example.org/a/one is offline\\nIt did not accept");
});
