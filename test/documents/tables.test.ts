import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { listFormats } from "../../src/features/add/load-mirrors.ts";
import { listNodes } from "../../src/core/config/nodes.ts";
import { attentionStates, mirrorStates } from "../../src/core/verdict/mirror-state.ts";
import { noticeStates, parseNotice } from "../../src/core/config/notice.ts";
import { eventNames, notifyRules } from "../../src/core/config/notify-rules.ts";
import { hosts, profiles } from "../../src/features/hosts/host-registry.ts";
import { codes, evidence, kindNames, kinds, sentenceOf } from "../../src/core/kinds/kinds.ts";
import { contentCodeNames } from "../../src/core/kinds/mirror-content.ts";
import { resultsSchema } from "../../src/core/probe/observation.ts";
import { summaryJson } from "../../src/app/run-summary.ts";
import { runBefore } from "../../src/app/advance-feed.ts";
import { feedConfig } from "../support/contract/feed.ts";
import { validatePart } from "../support/document-json.ts";
import { blocksOf, loadDocument } from "../support/document.ts";
import { describeConfig, feedWith } from "../support/feed-with.ts";
import { notifiedConfig } from "../support/notified-feed.ts";
import { configFrom, mirrorsJson } from "../support/mirrors-json.ts";
import { vantageOf } from "../support/rounds.ts";

/** Returns the cells that a pattern captures in a document's table rows. */
function rowsOf(name: string, pattern: RegExp): string[][] {
  const { text } = loadDocument(`.github/docs/${name}`);
  return [...text.matchAll(pattern)].map(([, ...cells]) => cells);
}

test("configuration.md has the formats of lists", () => {
  const named = rowsOf("configuration.md", /^\| `(\w+)` +\| .* \| .* \|$/gm).flat();
  expect(named.toSorted()).toEqual(Object.keys(listFormats).toSorted());
});

test("status.md has every code with its vote and its sentence", () => {
  expect(rowsOf("status.md", /^\| `(\w+)` +\| (0|1|none) +\| (.+?) +\|$/gm)).toEqual(
    codes.map((code) => [code, String(evidence(code) ?? "none"), sentenceOf(code)]),
  );
});

test("status.md has every state, and which ones need attention", () => {
  expect(rowsOf("status.md", /^\| `(\w+)` +\| .+? \| (yes|no) +\|$/gm).toSorted()).toEqual(
    mirrorStates.map((state) => [state, attentionStates.includes(state) ? "yes" : "no"]).toSorted(),
  );
});

test("content.md has a section for each kind, its codes and valid timestamps", () => {
  const { text } = loadDocument(".github/docs/content.md");
  const described = [...text.matchAll(/^## .*kind `(\w+)`$/gm)].map(([, kind]) => kind);
  expect(described.toSorted(), "kinds with a section in content.md").toEqual([...kindNames].toSorted());
  const own = kindNames.flatMap((kind) => Object.keys(kinds[kind].codes));
  const named = [...own, ...contentCodeNames].filter((one) => one !== "not_git");
  const missing = named.filter((code) => !text.includes(`\`${code}\``));
  expect(missing, "codes that content.md does not name").toEqual([]);
  const timestamps = rowsOf("content.md", /^\| `(\{.*?\})` +\|/gm).flat();
  expect(timestamps).toHaveLength(8);
  for (const timestamp of timestamps) {
    const part = `"probe": { "kind": "http", "http": { "content": { "timestamp": ${timestamp} } } }`;
    validatePart(part, "content.md");
  }
});

test("use-a-feed.md has the lists of every kind by their extensions, with the line that the pages show", () => {
  const lists = kindNames.flatMap((kind) => (kinds[kind].lists ?? []).map((list) => ({ kind, ...list })));
  expect(rowsOf("use-a-feed.md", /^\| `(\w+)` +\| `(\.\w+)`/gm).toSorted()).toEqual(
    lists.map(({ kind, extension }) => [kind, `.${extension.replace(/^\./, "")}`]).toSorted(),
  );
  // Readers choose the key, the file's location and the repository's name themselves.
  const chosen = / \[signed-by=[^\]]*\]|(?<=^\[)example(?=\])|^name=.*$|^gpgcheck=1$/gm;
  const blocks = loadDocument(".github/docs/use-a-feed.md").sections.flatMap((section) => section.blocks);
  for (const { extension, usage } of lists) {
    const address = new RegExp(`https://status\\.example\\.org/mirrorlist/\\S+\\.${extension}(?= |$)`, "m");
    const shown = blocks.filter(({ text }) => address.test(text));
    expect(shown, extension).toHaveLength(1);
    const [{ text } = { text: "" }] = shown;
    const line = usage?.line(address.exec(text)?.[0] ?? "", {});
    if (line !== undefined) expect(text.replaceAll(chosen, "").split("\n")).toContain(line);
  }
});

test("notifications.md has each event with its default", () => {
  const network = [{ id: 1, url: "https://git.example.org/a/b" }];
  const channels = { ops: { type: "webhook", urlEnv: "HOOK_URL" } };
  const [rule] = notifyRules(configFrom(mirrorsJson(network, { notify: { to: ["ops"] }, channels })));
  const units: Readonly<Record<string, number>> = { h: 3_600_000, s: 1000 };
  const rows = rowsOf("notifications.md", /^\| `(\w+)` +\| .* \| (\d+)([hs]) +\|$/gm);
  const defaults = rows.map(([name, count, unit = ""]) => [name, Number(count) * (units[unit] ?? 0)]);
  expect(defaults).toEqual(eventNames.map((name) => [name, rule?.afterMs(name)]));
});

test("incidents.md has every state, and a sample that a run takes", () => {
  const guide = loadDocument(".github/docs/incidents.md");
  const [whole] = blocksOf(loadDocument("README.md"), "json");
  const [sample] = blocksOf(guide, "markdown");
  const nodes = listNodes(configFrom(JSON.parse(whole?.text ?? "") as object));
  const notice = parseNotice(sample?.text ?? "", "new-disks", "new-disks.md", nodes);
  expect(notice).toMatchObject({ state: "identified", nodes: new Set([1, 2]) });
  expect(notice.updates[0]?.markdown).toContain("**No data was lost.**");
  for (const state of noticeStates) expect(guide.text).toContain(`\`${state}\``);
});

test("verify.md has the profiles, and only GitHub Pages has one of its own", () => {
  expect(rowsOf("verify.md", /^\| `([a-z-]+)` +\|/gm).flat()).toEqual([...profiles.keys()]);
  expect(hosts.filter((host) => "profile" in host).map(({ name }) => name)).toEqual(["github-pages"]);
});

/** Documents that are not in the example feed's OpenAPI document: pages, types, and some lists. */
const lists = ["list", "conf", "json", "metalink", "meta4"];
const others = [
  "/",
  ...lists.map((extension) => `/mirrorlist/{system}/{project}/{target}.${extension}`),
  ...["/country/{country}/{system}/{project}/{target}.txt", "/incidents", "/incidents/{name}"],
  ...["/client.d.ts", "/docs"],
];

function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/$/, "");
}

test("documents.md has every path of the OpenAPI document, and no other document", () => {
  const { paths } = describeConfig({ ...feedConfig, site: { ...feedConfig.site, host: "nginx" } });
  const known = rowsOf("documents.md", /^\| (`\/.*?) +\|/gm)
    .flatMap(([cell = ""]) => {
      let last = "";
      // An entry such as `.txt` means the preceding path with this extension instead of its own.
      return [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => {
        last = path.startsWith("/") ? path : last.replace(/\.\w+$/, path);
        return last;
      });
    })
    .map(withoutSlash);
  const described = Object.keys(paths).map(withoutSlash);
  expect(described.filter((path) => !known.includes(path))).toEqual([]);
  expect(known.filter((path) => !described.includes(path))).toEqual(others);
});

test("compatibility.md promises the modules of the package and the fields that --json prints", () => {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as { exports: object };
  expect(Object.keys(exports)).toEqual(["./client", "./package.json"]);
  const config = notifiedConfig([{ id: 1 }]);
  const feed = feedWith(config, new Map([[1, 0]]));
  const seen = { code: "http_status", http_status: 404, latency_ms: 3 };
  const summary: unknown = JSON.parse(
    summaryJson({
      nodes: listNodes(config),
      round: { run: "r", at: 0, vantages: [vantageOf("default", [seen])] },
      isVoid: false,
      feed: { ...feed, run: { ...feed.run, notifications: { waiting: 1, failing: 0 } } },
      before: runBefore(feedWith(config, new Map([[1, 1]]))),
    }),
  );
  const node =
    "system project target id name url state status freshness code http_status latency_ms attempts explanation";
  const states = mirrorStates.join(" ");
  expect(fieldsOf(summary)).toBe(
    `run prober vantages totals{nodes online offline} state states{${states}} notifications{waiting failing} changes{${node} state_before} warnings nodes{${node}}`,
  );
  const { shape } = resultsSchema;
  expect([shape, shape.observations.element.shape, shape.controls.element.shape].map(fieldNames)).toEqual([
    "schema run vantage shard config prober started_at finished_at controls observations problems families refs history",
    "id code http_status latency_ms attempts checked_at phase cause cause_text tls_expires_at revision branch partial moved_to refs refs_unread content_at content_code content_file unchecked index fetched",
    "url text proof code http_status latency_ms attempts checked_at phase cause cause_text tls_expires_at",
  ]);
});

function fieldNames(shape: object): string {
  return Object.keys(shape).join(" ");
}

/** Returns the field names in order. Braces contain the fields of an object, or of a list's first entry. */
function fieldsOf(value: unknown): string {
  return Object.entries(value as object)
    .map(([name, field]: [string, unknown]) => {
      const inner: unknown = Array.isArray(field) ? field[0] : field;
      return typeof inner === "object" && inner !== null ? `${name}{${fieldsOf(inner)}}` : name;
    })
    .join(" ");
}
