import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { product } from "../../../src/core/base/files/package.ts";
import { everything, put } from "../../support/folder.ts";
import { mirrorsJson, problemsIn } from "../../support/mirrors-json.ts";
import {
  addImport,
  buildCopy,
  copySource,
  editSource,
  type ProgramOfCopy,
} from "../../support/source-copy.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startPagesServer } from "../../support/pages-server.ts";
import { serve } from "../../support/serving.ts";

const shelf = `import { errorDocuments, jsonText } from "../../core/contract/contract.ts";
import type { Host } from "./host.ts";

export const shelf: Host<"shelf"> = {
  name: "shelf",
  title: "The Shelf",
  capabilities: {
    forbidden: "not-found",
    badRequest: "not-found",
    methodNotAllowed: "own-body",
    jsonTypes: "documents",
    slashless: "redirect",
    cacheControl: "host",
    rules: "constant",
    proof: "documented",
  },
  profile: "shelved",
  delivery: {
    summary: "a person carries it there",
    steps: ({ host, command }) => [\`\${command} build    # then carry it to \${host.title}\`],
  },
  publishing: ["Put it there."],
  siteFiles: () => [
    { path: "404.html", content: jsonText(errorDocuments["not-found"]) },
    { path: "shelf.txt", content: "third from above" },
  ],
  serverFiles: ({ root }) => [{ path: "shelf.conf", content: \`keep \${root}\` }],
  warnings: ({ files }) => [\`The shelf holds \${files} files.\`],
  urlOfRemote: (remote) => (remote === "../shelf.git" ? "https://shelf.example.org/here/" : undefined),
};
`;

/** Builds a copy of this program with one more host, `shelf`: its name, its file, and its line in the registry. */
async function programWithShelf(): Promise<ProgramOfCopy> {
  const copy = copySource();
  const registry = "features/hosts/host-registry.ts";
  editSource(copy, "core/config/host-names.ts", '"vercel",', '"vercel",\n  "shelf",');
  addImport(copy, registry, "shelf", "./shelf.ts");
  editSource(copy, registry, "  vercel,\n", "  vercel,\n  shelf,\n");
  put(copy, {
    "src/features/hosts/shelf.ts": shelf,
    // Only the npm package has this file, which makes init use the released version instead of packing the program.
    "dist/released": product.version,
  });
  cpSync(".github/workflows", join(copy, ".github/workflows"), { recursive: true });
  return buildCopy(copy);
}

describe("a host that is a name, a file and a line of the registry", () => {
  let mirrorfeed: ProgramOfCopy;
  beforeAll(async () => {
    mirrorfeed = await programWithShelf();
  });

  function feed(url: string): string {
    const keys = { probe: { kind: "http", allowPrivate: true }, site: { host: "shelf" } };
    return JSON.stringify(mirrorsJson([{ id: 1, url }], keys));
  }

  test("is listed with its capabilities, and gives its configuration", async () => {
    const folder = temporaryFolder();
    put(folder, { "mirrors.json": feed("http://127.0.0.1/") });
    const list = await mirrorfeed(folder, "host");
    expect(list.stdout).toMatch(/shelf .*404 instead .*own body/);
    const text = await mirrorfeed(folder, "host", "--markdown");
    expect(text.stdout).toContain("### The Shelf\n\nPut it there.");
    expect(await mirrorfeed(folder, "host", "shelf", "--root", "/srv/site")).toMatchObject({
      code: 0,
      stdout: "keep /srv/site\n",
    });
  });

  test("is valid in mirrors.json, which it is not without them", async () => {
    const folder = temporaryFolder();
    const text = feed("http://127.0.0.1/");
    put(folder, { "mirrors.json": text });
    expect(problemsIn(JSON.parse(text))).toEqual([expect.stringMatching(/^site\.host: /)]);
    expect(await mirrorfeed(folder, "validate")).toMatchObject({ code: 0, stderr: "" });
    put(folder, { "mirrors.json": text.replace('"shelf"', '"shelf","slashless":true') });
    const { stderr } = await mirrorfeed(folder, "validate");
    expect(stderr).toContain('only works with the host "github-pages"; remove it, since "shelf" serves');
  });

  test("is a choice of init, which tells how to get there", async () => {
    const folder = temporaryFolder();
    const names = ["--system", "s", "--project", "p", "--target", "t", "--url", "https://shelf.example.org/"];
    const mirror = ["--mirror", "https://git.example.org/a/b"];
    const { code, stderr } = await mirrorfeed(
      folder,
      ...["init", ".", "--yes", "--host", "shelf", ...mirror, ...names],
    );
    expect(code).toBe(0);
    expect(stderr).toContain("npx mirrorfeed build    # then carry it to The Shelf");
    expect(stderr).toContain("npx mirrorfeed verify https://shelf.example.org/ --profile shelved");
    const made = everything(folder);
    expect(Object.keys(made).sort()).toEqual([".gitignore", "mirrors.json", "mirrors.schema.json"]);
    expect(made["mirrors.json"]).toContain('"host": "shelf"');
    expect(made["mirrors.schema.json"]).toContain('"shelf"');
    expect(await mirrorfeed(folder, "validate")).toMatchObject({ code: 0 });
  });

  test("gets its files into the site, which its profile of verify expects", async () => {
    const mirror = await serve(({ response }) => {
      response.end();
    });
    const folder = temporaryFolder();
    put(folder, { "mirrors.json": feed(mirror.url) });
    expect(await mirrorfeed(folder, "probe", "--results", "results.json")).toMatchObject({ code: 0 });
    const built = await mirrorfeed(folder, "build", "--results", "results.json");
    expect(built.code).toBe(0);
    expect(built.stderr).toMatch(/Warning: The shelf holds \d+ files\./);
    expect(readFileSync(join(folder, "_site/shelf.txt"), "utf8")).toBe("third from above");

    const server = await startPagesServer(join(folder, "_site"));
    try {
      const verify = (profile: string) =>
        mirrorfeed(folder, "verify", server.url, "--profile", profile, "--json");
      expect((await verify("full")).code).toBe(1);
      const { code, stdout, stderr } = await verify("shelved");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain('"note": "The host can answer errors only with 404."');
    } finally {
      await server.close();
    }
  });
});
