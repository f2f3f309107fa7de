import { execFile } from "node:child_process";
import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { feedProgram } from "../../../src/features/init/feed-program.ts";
import { product } from "../../../src/core/base/files/package.ts";
import { recorded } from "../../support/command-context.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const execute = promisify(execFile);
const upload = z.object({ _attachments: z.record(z.string(), z.object({ data: z.base64() })) });

/** Starts a registry that accepts packages from `npm publish`, and has no packages itself. */
async function startRegistry() {
  const uploads: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (request.method === "PUT") uploads.push(Buffer.concat(parts).toString());
      response.writeHead(request.method === "PUT" ? 201 : 404, { "content-type": "application/json" });
      response.end("{}");
    });
  });
  const { port, close } = await listenOnLoopback(server);
  return { host: `127.0.0.1:${port}`, uploads, close };
}

describe("the package", () => {
  test("npm publish leaves the mark of a release in the package", async () => {
    const folder = temporaryFolder();
    const checkout = join(folder, "checkout");
    for (const path of ["package.json", "esbuild.config.js", "tsconfig.json", "src", "public", "LICENSE"])
      cpSync(path, join(checkout, path), { recursive: true });
    cpSync(".github/workflows", join(checkout, ".github/workflows"), { recursive: true });
    symlinkSync(resolve("node_modules"), join(checkout, "node_modules"));
    const registry = await startRegistry();
    const to = ["--registry", `http://${registry.host}/`, `--//${registry.host}/:_authToken=x`];
    await execute("npm", ["publish", ...to, "--cache", join(folder, "cache")], { cwd: checkout });
    await registry.close();
    const [attachment] = Object.values(upload.parse(JSON.parse(registry.uploads[0] ?? ""))._attachments);
    writeFileSync(join(folder, "published.tgz"), Buffer.from(attachment?.data ?? "", "base64"));
    await execute("tar", ["-xzf", join(folder, "published.tgz"), "-C", folder]);
    const program = await feedProgram(recorded().context, join(folder, "package"));
    expect(program).toEqual({ pin: `mirrorfeed@${product.version}`, files: [] });
  });
});
