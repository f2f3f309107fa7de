import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { env } from "node:process";
import { expect, test } from "vitest";
import { product } from "../../src/core/base/files/package.ts";
import { blocksOf, loadDocument } from "../support/document.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = join(import.meta.dirname, "../..");
const document = loadDocument("README.md");

test("its line makes a package of a checkout, and installs it as mirrorfeed", () => {
  const prefix = temporaryFolder("mirrorfeed-installed-");
  const [line = ""] = blocksOf(document, "sh").flatMap(({ text }) =>
    text.includes("npm pack") ? [text] : [],
  );
  const bin = join(prefix, "stand-in");
  mkdirSync(bin);
  // `npm test` has already built the program, and its dependencies are installed.
  const npm = `PATH="${env["PATH"] ?? ""}" exec npm`;
  const pack = `${npm} pack --ignore-scripts --silent --pack-destination "$PWD" "${root}"`;
  const script = `#!/bin/sh\ncase $1 in ci) ;; pack) ${pack} ;; *) ${npm} --offline --prefix "${prefix}" "$@" ;; esac\n`;
  writeFileSync(join(bin, "npm"), script, { mode: 0o755 });
  const path = [bin, join(prefix, "bin"), env["PATH"] ?? ""].join(delimiter);
  const printed = execFileSync("/bin/sh", ["-ec", `${line}mirrorfeed --version`], {
    cwd: prefix,
    env: { ...env, PATH: path },
    encoding: "utf8",
    stdio: "pipe",
  });
  expect(printed.trimEnd().split("\n").at(-1)).toBe(product.version);
});

test("its workflow is there", () => {
  const [, name = ""] = /^name: (.*)$/m.exec(readFileSync(".github/workflows/refresh.yml", "utf8")) ?? [];
  expect(document.text).toContain(`the workflow **${name}**`);
});
