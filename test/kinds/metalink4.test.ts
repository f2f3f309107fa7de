import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWith, findProgram } from "../support/requirement.ts";
import { hasFolderServer } from "../support/served-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { listOf, newFolder, runTool, startMirror, textAt } from "../support/tool-feed.ts";

const hasAria = hasFolderServer && findProgram("aria2c") !== undefined;
/** Takes parts of a file from several mirrors at once, which it does by itself above 20 MB. */
const parallel = ["--split=5", "--min-split-size=1M"];
const path = 'a&b/it\'s "big".iso';
const escaped = "a&b/it's%20%22big%22.iso";

describeWith("aria2 and nginx", hasAria, "aria2 with the metalink of a file", () => {
  test("downloads with the best mirror dead and another one stale, and refuses a tampered file", async () => {
    const folder = temporaryFolder("mirrorfeed-aria-");
    const content = randomBytes(5_000_000);
    const roots = ["primary", "fresh", "stale"].map((name) => {
      mkdirSync(join(folder, name, "a&b"), { recursive: true });
      writeFileSync(join(folder, name, path), name === "stale" ? randomBytes(5_000_000) : content);
      return join(folder, name);
    });
    const mirrors = await Promise.all(roots.map(startMirror));
    const urls = mirrors.map(({ url }) => `${url}/${escaped}`);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const list = await listOf(
      urls,
      { kind: "http", http: { content: { sha256: "reference" } }, maxBytes: 8_000_000 },
      "meta4",
    );
    expect(await textAt(list)).toContain(`<hash type="sha-256">${sha256}</hash>`);
    await mirrors[0]?.close();
    const good = await download(list);
    expect(good.output).toContain("(OK):download completed");
    expect(good.code).toBe(0);
    expect(readFileSync(join(good.folder, "t")).equals(content)).toBe(true);

    const tampered = Buffer.from(content);
    tampered.writeUInt8(tampered.readUInt8(9) ^ 1, 9);
    writeFileSync(join(folder, "fresh", path), tampered);
    const bad = await download(list);
    expect(bad.output).toMatch(/checksum/i);
    expect(bad.code).not.toBe(0);

    async function download(url: string) {
      const out = newFolder(folder, "out");
      const result = await runTool(
        "aria2c",
        ["--no-conf", "--max-tries=1", ...parallel, `--dir=${out}`, url],
        {
          cwd: out,
        },
      );
      return { ...result, folder: out };
    }
  });
});
