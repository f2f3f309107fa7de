import { visible } from "../../../src/core/base/text/quote.ts";
import { describe, expect, test } from "vitest";
import { verify, type VerifyOptions } from "../../../src/features/verify/verify-command.ts";
import { recorded } from "../../support/command-context.ts";
import { feedDocuments } from "../../support/contract/feed.ts";
import { deploy } from "../../support/deployment.ts";

async function run({ url, ...options }: Partial<VerifyOptions> & { url: string }) {
  const now = () => performance.now();
  const { context, printed, logged, progressed } = recorded({ now });
  const code = await verify(url, { profile: "full", ...options }, context);
  return { code, printed: printed.join("\n"), logged: logged.join("\n"), progressed };
}

test("0 where all is right, with how much was checked", async () => {
  const { url } = await deploy(feedDocuments);
  const { code, printed, logged } = await run({ url });
  expect([code, logged]).toEqual([0, ""]);
  expect(printed).toMatch(
    /^Checked 46 of 46 documents, and 0 of 0 pages and their files\.\n\d+ cases: \d+ passed, 0 failed\.$/,
  );
});

test("shows its requests on a terminal", async () => {
  const { url, asked } = await deploy(feedDocuments);
  const { progressed } = await run({ url });
  expect(progressed).toEqual(["Verifying, request", ...asked.map((_, index) => index + 1), "stop"]);
});

test.each(["", "/status/"])("1 where no feed is at the URL, with a hint at its path: %j", async (path) => {
  const hint = "There is no feed at this URL. If it is below a path, add the path to the URL.";
  const { url } = await deploy(feedDocuments, (draft) => ({ ...draft, status: 404 }));
  const { code, printed } = await run({ url: `${url}${path}` });
  expect([code, printed.split("\n").filter((line) => line === hint)]).toEqual([1, [hint]]);
});

test("1 with the first failures, however many there are", async () => {
  const { url } = await deploy(feedDocuments, (draft) => ({ ...draft, body: `${draft.body.toString()} ` }));
  const { code, printed } = await run({ url });
  expect([code, printed.match(/^FAILED/gm)?.length]).toEqual([1, 40]);
  expect(printed).toMatch(/^\d+ more failed; --json lists them all\.$/m);
});

test("a documented limit of the host is a note, not a failure", async () => {
  const { url } = await deploy(feedDocuments, (draft, { method }) =>
    method === "POST" ? { ...draft, status: 501 } : draft,
  );
  const { code, printed } = await run({ url });
  expect(code).toBe(0);
  expect(printed).toMatch(/^NOTE {4}Not every host can answer 405\.\nChecked [^]*, 0 failed\.$/);
});

test("4 where it is not known, with the reason on stderr", async () => {
  const { code, printed, logged } = await run({ url: "http://127.0.0.1:1" });
  expect([code, printed]).toEqual([4, ""]);
  expect(logged).toMatch(/^Not verified: http:\/\/127\.0\.0\.1:1\/ did not answer\. It refused .*$/);
});

test("JSON is all there is on stdout", async () => {
  const { url } = await deploy(feedDocuments);
  const document: unknown = JSON.parse((await run({ url, json: true })).printed);
  const none = { checked: 0, of: 0 };
  expect(document).toEqual({
    url: `${url}/`,
    checked: { documents: { checked: 46, of: 46 }, pages: none },
    cases: expect.arrayContaining([
      {
        method: "GET",
        path: "/v1/network/",
        rule: "The list of systems is served as JSON.",
        expected: '200, application/json, "{\\"systems\\":[\\"alpha\\",\\"beta-2\\"]}\\u000a"',
        actual: '200, "application/json", "{\\"systems\\":[\\"alpha\\",\\"beta-2\\"]}\\u000a"',
        ok: true,
      },
    ]),
  });
  const stopped: unknown = JSON.parse((await run({ url: "http://127.0.0.1:1", json: true })).printed);
  expect(stopped).toMatchObject({ cases: [] });
});

describe("what a hostile server says", () => {
  const hostile = "\u001b[2J\u009b31m\n::error::x\r\n::add-mask::a\n##[error]y\u202e\u0007";

  test.each(["in bodies", "in headers", "in names"])("%s is never obeyed", async (where) => {
    const { url } = await deploy(feedDocuments, (draft) => {
      if (where === "in bodies") return { ...draft, body: hostile };
      if (where === "in names")
        return { ...draft, body: JSON.stringify({ [hostile]: [hostile], target: hostile }) };
      const headers = { Location: "\u009b31m::error::##[error]", "Content-Type": "\u0090x" };
      return { ...draft, status: 302, headers };
    });
    for (const json of [false, true]) {
      const { code, printed: text, logged } = await run({ url, json });
      // The process prints nothing else.
      const printed = visible(text);
      expect([code, logged]).toEqual([1, ""]);
      expect(printed.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(printed).not.toMatch(/^\s*::|##\[/m);
      expect(() => {
        if (json) JSON.parse(printed);
      }).not.toThrow();
    }
  });
});
