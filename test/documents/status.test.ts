import { expect, test } from "vitest";
import type { Step } from "../../src/base/http/trace.ts";
import { codes, sentenceOf } from "../../src/kinds/kinds.ts";
import { contentCodeNames, freshnessCodes } from "../../src/kinds/mirror-content.ts";
import { evidence } from "../../src/state/verdict.ts";
import { loadDocument } from "../support/document.ts";

const guide = loadDocument(".github/docs/status.md");

test("the table has every code with its vote and its sentence, those of content last", () => {
  const rows = [...guide.text.matchAll(/^\| `(\w+)` +\| (0|1|none) +\| (.+?) +\|$/gm)];
  expect(rows.map(([, code, vote, sentence]) => [code, vote, sentence])).toEqual(
    codes.map((code) => [code, String(evidence(code) ?? "none"), sentenceOf(code)]),
  );
  const ofContent = [...contentCodeNames, ...Object.keys(freshnessCodes)];
  expect(codes.slice(-5)).toEqual(ofContent);
});

test("the table of steps has those of a trace", () => {
  const steps: Record<Step["step"], true> = {
    attempt: true,
    resolve: true,
    connect: true,
    connected: true,
    proxy: true,
    not_connected: true,
    tls: true,
    request: true,
    response: true,
    body: true,
    redirect: true,
    failure: true,
    pause: true,
  };
  for (const step of Object.keys(steps)) expect(guide.text).toContain(`\`${step}\``);
});
