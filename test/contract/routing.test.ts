import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { edgeCases, type Expectation } from "../support/contract/cases.ts";
import { errorPath } from "../../src/contract/contract.ts";
import { route } from "../../src/contract/routing.ts";
import { contractCases as cases, feedConfig, feedDocuments } from "../support/contract/feed.ts";
import { anyCharacter, anyWebUrl, urlSegment } from "../support/any-url.ts";

describe("the table of cases", () => {
  test("has every kind of case, each with an id of its own", () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
    expect(edgeCases(feedConfig.systems).length).toBeGreaterThan(150);
    const kinds = cases.map(({ method, expect: expected }) =>
      expected.kind === "error" ? `${method} ${expected.name}` : `${method} ${expected.kind}`,
    );
    expect(new Set(kinds)).toEqual(
      new Set([
        ...["GET document", "GET system", "GET project", "GET target", "GET status", "GET not-found"],
        ...["HEAD document", "HEAD system", "HEAD project", "HEAD target", "HEAD status", "HEAD not-found"],
        ...["POST method", "PUT method", "PATCH method", "DELETE method", "OPTIONS method", "GET contained"],
      ]),
    );
  });

  test("asks for every document with and without its slash", () => {
    const asked = cases.map(({ path }) => path);
    for (const path of feedDocuments.keys()) {
      if (!path.startsWith("v1/network/")) continue;
      const target = `/${path.replace(/\/index\.json$/, "")}`;
      expect(asked).toContain(target);
      expect(asked).toContain(`${target}/`);
    }
  });

  test("names documents of the site alone", () => {
    for (const { expect: expected } of cases) {
      if (expected.kind !== "contained") expect(feedDocuments.has(pathOf(expected))).toBe(true);
    }
  });

  test("can be sent as it is", () => {
    for (const { path } of cases) expect(path).toMatch(/^\/[!-~]*$/);
  });

  test("skips the names that a feed happens to have", () => {
    const feed = [
      {
        system: "a",
        projects: [{ project: "b", targets: [{ target: "c" }, { target: "c2" }, { target: "1" }] }],
      },
      { system: "a2", projects: [] },
      { system: "no-such-name", projects: [] },
    ];
    const ids = edgeCases(feed).map(({ id }) => id);
    expect(ids).not.toContain("GET /v1/network/{system}2");
    expect(ids).not.toContain("GET /v1/network/{system:cut}");
    expect(ids.filter((id) => id.includes("/v1/network/no-such-name"))).toEqual([
      "DELETE /v1/network/no-such-name",
    ]);
    expect(ids).not.toContain("GET /v1/network/{system}/{project}/1");
    expect(ids).not.toContain("GET /v1/network/{system}/{project}/{target}2");
    expect(ids).toContain("GET /v1/network/{system}/{project}2");
    expect(edgeCases([])).toEqual([]);
  });
});

describe("every case of the contract", () => {
  test.each(cases)("$id", ({ method, path, expect: expected }) => {
    const answer = route(method, path, (file) => feedDocuments.has(file));
    if (expected.kind !== "contained") {
      expect(answer).toEqual(
        expected.kind === "document"
          ? { kind: "file", path: expected.path }
          : { kind: "error", name: expected.name },
      );
    } else if (answer.kind === "file") {
      expect(feedDocuments.has(answer.path)).toBe(true);
    }
  });
});

describe("what the contract leaves open is an unknown name at its level", () => {
  test.each([
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
  ])("%s: %s", (target, name) => {
    expect(route("GET", target, (file) => feedDocuments.has(file))).toEqual({ kind: "error", name });
  });
});

describe("slashes in a row count as one, as in nginx", () => {
  test.each([
    ["//v1/network/alpha", "v1/network/alpha/index.json"],
    ["///v1///network//alpha//", "v1/network/alpha/index.json"],
    ["//v1/network/alpha/main-tools/t1//1", "v1/network/alpha/main-tools/t1/1/index.json"],
    ["/v1/network//", "v1/network/index.json"],
  ])("%s is %s", (target, path) => {
    expect(route("GET", target, (file) => feedDocuments.has(file))).toEqual({ kind: "file", path });
  });

  test.each([
    ["//v1/network/alpha//no-such-name", "project"],
    ["//v1/network/alpha/main-tools/t1//2", "status"],
    ["//v1//networks", "not-found"],
  ])("%s: %s", (target, name) => {
    expect(route("GET", target, (file) => feedDocuments.has(file))).toEqual({ kind: "error", name });
  });
});

describe("the rest of the site", () => {
  const site = [
    ...[
      "index.html",
      "404.html",
      "docs/index.html",
      "v1/report/index.json",
      "v1/report/index.html",
      "feed.atom",
    ],
    ...[
      "docs/a b.txt",
      ".nojekyll",
      ".mirrorfeed/manifest.json",
      "docs/.draft.html",
      ".well-known/index.html",
    ],
    ...["badge/alpha/one/t1.svg", "v1/network/index.json", "v1/network/Upper/index.json"],
  ];
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
    ["/docs/a%20b.txt?x/y", "docs/a b.txt"],
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

describe("any request target", () => {
  const segment = fc.oneof(
    fc.constantFrom(
      ".",
      "..",
      "%2e%2e",
      "%2F",
      "v1",
      "network",
      "alpha",
      "main-tools",
      "t1",
      "0",
      "1",
      "%",
      "%00",
    ),
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
          // A request target has no fragment (RFC 9112, 3.2): its # is one more character. Nor does URL then trim its spaces.
          const asked = new URL(`http://one.example/${path.replaceAll(/[# ]/g, encodeURIComponent)}`);
          const { origin, pathname } = new URL(answer.location, asked);
          expect([origin, pathname]).toEqual([asked.origin, `${asked.pathname}/`]);
        }
      }),
    );
  });

  test("has the same response with any query", () => {
    const exists = (path: string): boolean => feedDocuments.has(path);
    fc.assert(
      fc.property(fc.constantFrom(...cases), fc.string(), ({ method, path }, query) => {
        expect(route(method, `${path}?${query}`, exists)).toEqual(route(method, path, exists));
      }),
    );
  });
});

function pathOf(expected: Exclude<Expectation, { kind: "contained" }>): string {
  return expected.kind === "document" ? expected.path : errorPath(expected.name);
}
