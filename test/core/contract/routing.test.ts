import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answersWithPage, route } from "../../../src/core/contract/routing.ts";
import { contractCases as cases, feedDocuments } from "../../support/contract/feed.ts";
import { anyCharacter, anyWebUrl, urlSegment } from "../../support/any-url.ts";

const exists = (path: string): boolean => feedDocuments.has(path);

expect(cases.length).toBeGreaterThan(250);

test.each(cases)("$id", ({ method, path, expect: expected }) => {
  expect(path).toMatch(/^\/[!-~]*$/);
  const answer = route(method, path, exists);
  if (expected.kind === "document") expect(answer).toEqual({ kind: "file", path: expected.path });
  else if (expected.kind === "error") expect(answer).toEqual({ kind: "error", name: expected.name });
  else if (answer.kind === "file") expect(exists(answer.path)).toBe(true);
});

describe("a path of the contract in another spelling", () => {
  test.each([
    // Spellings that the contract does not define count as unknown names at their level.
    ["/v1/network/..", "system"],
    ["/v1/network/../alpha", "system"],
    ["/v1/network/%", "system"],
    ["/v1/network/%00/", "system"],
    ["/v1/network/alpha%2Fmain-tools", "system"],
    ["/v1/network/alpha%5Cmain-tools", "system"],
    ["/v1/network/alpha/.", "project"],
    ["/v1/network/alpha/%2e%2e/alpha", "project"],
    ["/v1/network/alpha/main-tools/t1%00", "target"],
    ["/v1/network/alpha/main-tools/%E0%A4%A", "target"],
    ["/v1/network/alpha/main-tools/t1/%2e%2e", "status"],
    ["/v1%2Fnetwork/alpha", "not-found"],
    // Slashes in a row count as one, as in nginx.
    ["//v1/network/alpha", "v1/network/alpha/index.json"],
    ["///v1///network//alpha//", "v1/network/alpha/index.json"],
    ["//v1/network/alpha/main-tools/t1//1", "v1/network/alpha/main-tools/t1/1/index.json"],
    ["/v1/network//", "v1/network/index.json"],
    ["//v1/network/alpha//no-such-name", "project"],
    ["//v1/network/alpha/main-tools/t1//2", "status"],
    ["//v1//networks", "not-found"],
  ])("%s: %s", (target, result) => {
    const answer = route("GET", target, exists);
    expect(answer).toEqual(
      result.endsWith(".json") ? { kind: "file", path: result } : { kind: "error", name: result },
    );
  });
});

describe("the rest of the site", () => {
  const site =
    `index.html 404.html docs/index.html v1/report/index.json v1/report/index.html feed.atom docs/a_b.txt
    .nojekyll .mirrorfeed/manifest.json docs/.draft.html .well-known/index.html badge/alpha/one/t1.svg
    v1/network/index.json v1/network/Upper/index.json`.split(/\s+/);
  const ask = (target: string): string => {
    const answer = route("GET", target, (path) => site.includes(path));
    if (answer.kind === "redirect") return `to ${answer.location}`;
    return answer.kind === "file" ? answer.path : answer.name;
  };

  test.each([
    ["/", "index.html"],
    ["/?x", "index.html"],
    ["http://127.0.0.1:8080", "index.html"],
    ["HTTP://user:secret@[::1]:80/docs/?x", "docs/index.html"],
    ["/docs", "to ./docs/"],
    ["/d%6Fcs?x=/1/", "to ./d%6Fcs/?x=/1/"],
    ["//docs?//example.org", "to ./docs/?//example.org"],
    ["http://example.org/docs", "to ./docs/"],
    ["/docs/", "docs/index.html"],
    ["/docs//", "docs/index.html"],
    ["//", "index.html"],
    ["/d%6Fcs/", "docs/index.html"],
    ["/docs/index.html", "docs/index.html"],
    ["/docs/a%5Fb.txt?x/y", "docs/a_b.txt"],
    ["/v1/report", "v1/report/index.json"],
    ["/v1/report/", "v1/report/index.json"],
    ["/v1/report/index.json", "v1/report/index.json"],
    ["/v1/network", "v1/network/index.json"],
    ["/v1/%6Eetwork/", "v1/network/index.json"],
    ["/badge/alpha/one/t1.svg", "badge/alpha/one/t1.svg"],
    ["/404.html", "404.html"],
  ])("%s is %s", (target, path) => {
    expect(ask(target)).toBe(path);
  });

  const missing = `/feed.atom/ /v1 /v1/ /.nojekyll /.mirrorfeed/manifest.json
    /%2enojekyll /docs/.draft.html /.well-known/ /docs/../index.html /./docs /docs%2Findex.html /% /%00
    /docs\\index.html /docs%5Cindex.html /index.html%0A * docs/ /Docs http:/docs`;
  test.each(missing.split(/\s+/))("%s is not found", (target) => {
    expect(ask(target)).toBe("not-found");
  });

  test("a name that no configuration can have is unknown, whatever the file system finds", () => {
    expect(ask("/v1/network/Upper")).toBe("system");
  });
});

describe("a missing path", () => {
  const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

  test.each(
    "/ /nothing /nothing/ /a.b/ /docs/gone.html?x=/v1/ //status//x/ /v1x /status/v1/ http://host/x".split(
      " ",
    ),
  )("%s answers with a page to a browser, and to nothing else", (target) => {
    const accepts = [browser, "TEXT/HTML", "*/*", "application/json", "", undefined];
    expect(accepts.map((accept) => answersWithPage(target, accept))).toEqual([
      true,
      true,
      ...Array<false>(4).fill(false),
    ]);
  });

  test.each(
    "/v1 /v1/ /v1/x /v1/report/x/ //v1/x /%761/x /v1/x.html http://host/v1/x /errors/x.html /x.json /a/b.txt?x /x.svg /.x * x".split(
      " ",
    ),
  )("%s answers with JSON to a browser too", (target) => {
    expect(answersWithPage(target, browser)).toBe(false);
  });
});

describe("any request target", () => {
  const segment = fc.oneof(
    fc.constantFrom(..."..|.|%2e%2e|%2F|v1|network|alpha|main-tools|t1|0|1|%|%00".split("|")),
    fc.string(),
    urlSegment,
  );
  const target = fc.oneof(
    fc.string({ unit: anyCharacter }),
    anyWebUrl,
    fc.array(segment, { maxLength: 8 }).map((segments) => `/${segments.join("/")}`),
  );

  test("is answered with a file that was found in the site, or with an error", () => {
    fc.assert(
      fc.property(target, fc.func(fc.boolean()), (sent, find) => {
        const found: string[] = [];
        const answer = route("GET", sent, (path) => {
          expect(path.split("/").every((name) => !name.startsWith(".") && !name.includes("\\"))).toBe(true);
          expect(path).not.toMatch(/^\/|\/\/|\/$|\p{Cc}/u);
          if (find(path)) found.push(path);
          return find(path);
        });
        if (answer.kind === "file") expect(found).toContain(answer.path);
        if (answer.kind === "redirect") {
          const path = sent.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*\/*|^\/+/i, "");
          // Request targets have no fragment (RFC 9112, section 3.2), so `#` is part of the path. Spaces are encoded
          // too, because `URL` would trim them.
          const asked = new URL(`http://one.example/${path.replaceAll(/[# ]/g, encodeURIComponent)}`);
          const { origin, pathname } = new URL(answer.location, asked);
          expect([origin, pathname]).toEqual([asked.origin, `${asked.pathname}/`]);
        }
      }),
    );
  });

  test("has the same response with any query", () => {
    fc.assert(
      fc.property(fc.constantFrom(...cases), fc.string(), ({ method, path }, query) => {
        expect(route(method, `${path}?${query}`, exists)).toEqual(route(method, path, exists));
      }),
    );
  });
});
