import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Feed, nodesOf, targetsOf } from "../../../src/core/feed/feed.ts";
import { renderStatuspage } from "../../../src/features/statuspage/statuspage.ts";
import {
  configOf,
  day,
  except,
  hour,
  minute,
  noon,
  play,
  roundsArbitrary,
  step,
  textsOf,
  type Vantages,
} from "../../support/playing.ts";
import { noticed } from "../../support/noticed.ts";
import type { Seen } from "../../support/rounds.ts";
import { statuspageSummary } from "../../support/statuspage.ts";
import { trials } from "../../support/trials.ts";

/** Fails if strict clients would reject the summary, or if the status document doesn't match it. */
function summaryOf(feed: Feed) {
  const texts = textsOf(renderStatuspage(feed));
  expect([...texts.keys()]).toEqual(["api/v2/status.json", "api/v2/summary.json"]);
  const [status, summary] = [...texts.values()].map((text): unknown => JSON.parse(text));
  const parsed = statuspageSummary.parse(summary);
  const { page, incidents, scheduled_maintenances: maintenances } = parsed;
  expect(page.url).toBe(feed.url ?? "");
  for (const { shortlink } of [...incidents, ...maintenances])
    expect(shortlink.startsWith(feed.url ?? "")).toBe(true);
  expect(status).toEqual({ page, status: parsed.status });
  return parsed;
}

const url = "https://status.example.org/feed";
const config = configOf({ site: { url, title: "Mirrors" } });
const names = ["s/p/t", "s/p/u", "s/q/t", "z/p/t"];

describe("for any feed and any rounds", () => {
  test("the documents are those of Statuspage, with a component for each target", () => {
    fc.assert(
      fc.property(roundsArbitrary, ({ config: any, rounds }) => {
        const { feed } = play(any, rounds);
        const { components, page, incidents } = summaryOf(feed);
        const places = targetsOf(feed.systems).map(({ place }) => place);
        expect(components.map(({ name }) => name)).toEqual(places);
        expect(new Set(components.map(({ id }) => id)).size).toBe(places.length);
        expect(page.updated_at <= feed.run.generated_at).toBe(true);
        const open = feed.incidents.filter(({ end }) => end === undefined);
        expect(incidents.length).toBeLessThanOrEqual(open.length);
      }),
      { numRuns: trials(20) },
    );
  });

  test("a run that changes nothing leaves them as they are", () => {
    const see: Vantages = except({ 1: "timeout", 4: { code: "ok", content_code: "no_fetch" } });
    const rounds = [noon, noon + minute].map((at) => ({ at, vantages: see }));
    const first = play(config, rounds);
    const later = step(config, first, { at: noon + day, vantages: see });
    expect(textsOf(renderStatuspage(later.feed))).toEqual(textsOf(renderStatuspage(first.feed)));
  });
});

describe("the status", () => {
  const stale = { code: "ok", content_code: "no_fetch" } as const;
  const all = (seen: Seen, ...ids: number[]): Record<number, Seen> =>
    Object.fromEntries(ids.map((id) => [id, seen]));
  const everything = [1, 2, 3, 4, 5, 6, 7, 8, 9];

  test.each<[string, string, string, Record<number, Seen>, string[]]>([
    ["none", "All Systems Operational", "all mirrors are online", {}, []],
    ["minor", "8 online, 1 offline", "one is offline", { 1: "timeout" }, ["degraded_performance"]],
    ["minor", "8 online, 1 wrong", "one has wrong content", { 1: stale }, ["degraded_performance"]],
    ["major", "6 online, 3 offline", "a target is", all("timeout", 1, 2, 3), ["major_outage"]],
    ["major", "6 online, 3 wrong", "a target has wrong content", all(stale, 1, 2, 3), ["major_outage"]],
    ["critical", "9 wrong", "all have", all(stale, ...everything), Array(4).fill("major_outage")],
    ["none", "6 online, 3 unknown", "one is unknown", all(undefined, 1, 2, 3), ["degraded_performance"]],
  ])("is %s (%s) if %s", (indicator, description, _name, seen, [first = "operational", ...others]) => {
    const { status, components, page } = summaryOf(play(config, [{ at: noon, vantages: except(seen) }]).feed);
    expect(status).toEqual({ indicator, description });
    expect(page).toMatchObject({ name: "Mirrors", url, time_zone: "Etc/UTC" });
    const statuses = [first, ...(others.length > 0 ? others : Array(3).fill("operational"))];
    expect(components.map(({ status: own }) => own)).toEqual(statuses);
    expect(components.map(({ name }) => name)).toEqual(names);
  });

  test("was updated when a mirror last changed, or its maintenance", () => {
    const window = { from: "2026-03-10T15:00:00Z", to: "2026-03-10T16:00:00Z", reason: "Disks" };
    const own = configOf({ site: { url }, maintenance: [{ ...window, scope: "z/p" }] });
    const before = play(own, [{ at: noon }, { at: noon + hour, vantages: except({ 1: "timeout" }) }]);
    const summary = summaryOf(before.feed);
    expect(summary.page.updated_at).toBe("2026-03-10T13:00:00.000Z");
    const times = summary.components.map(({ updated_at }) => updated_at.slice(11, 16));
    expect(times).toEqual(["13:00", "12:00", "12:00", "12:00"]);
    const during = step(own, before, { at: noon + 3.5 * hour, vantages: except({ 1: "timeout" }) });
    const { page, status, components } = summaryOf(during.feed);
    expect(page.updated_at).toBe("2026-03-10T15:00:00.000Z");
    // The maintenance of one target does not hide that a mirror of another is offline.
    expect(status.indicator).toBe("minor");
    const quiet = step(own, play(own, [{ at: noon }]), { at: noon + 3.5 * hour });
    const description = "7 online, 2 in maintenance";
    expect(summaryOf(quiet.feed).status).toEqual({ indicator: "none", description });
    const everywhere = ["s/p", "s/q", "z/p"].map((scope) => ({ ...window, scope }));
    const closed = configOf({ site: { url }, maintenance: everywhere });
    const over = play(closed, [{ at: noon }, { at: noon + 3.5 * hour }]);
    expect(summaryOf(over.feed).status.indicator).toBe("maintenance");
    expect(components.at(-1)).toMatchObject({ status: "under_maintenance", description: "2 in maintenance" });
  });
});

describe("an incident", () => {
  const shared = configOf({ site: { url } });
  for (const node of nodesOf(targetsOf(shared.systems).map(({ network: nodes }) => ({ nodes }))))
    if (node.id < 4) node.url = `https://git.example.org/${node.id}`;

  test("lasts as long as its mirrors are offline, and names them", () => {
    const down = except({ 1: "timeout", 2: "timeout" });
    const first = play(shared, [{ at: noon }, { at: noon + hour, vantages: down }]);
    const [incident] = summaryOf(first.feed).incidents;
    expect(incident).toMatchObject({
      ...{ name: "2 mirrors at git.example.org are offline", status: "investigating", impact: "minor" },
      ...{ started_at: "2026-03-10T13:00:00.000Z", resolved_at: null },
      shortlink: `${url}/incidents/${first.feed.incidents[0]?.id}/`,
      incident_updates: [{ body: "It did not answer in time.", incident_id: incident?.id }],
      components: [{ name: "s/p/t", status: "degraded_performance" }],
    });
    const one = step(shared, first, { at: noon + 2 * hour, vantages: except({ 2: "timeout" }) });
    expect(summaryOf(one.feed).incidents).toMatchObject([{ name: "git.example.org/2 is offline" }]);
    expect(summaryOf(step(shared, one, { at: noon + 3 * hour }).feed).incidents).toEqual([]);
  });

  test("is major if a target has no good mirror", () => {
    const down = except({ 1: "timeout", 2: "timeout", 3: "timeout" });
    const { feed } = play(shared, [{ at: noon }, { at: noon + hour, vantages: down }]);
    expect(summaryOf(feed).incidents).toMatchObject([{ impact: "major" }]);
  });

  const withNotice = (head: string, body = "We look into it."): Feed => {
    const text = `---\ntitle: Disks\nfrom: 2026-03-10T11:00:00Z\n${head}\n---\n${body}\n`;
    return noticed(config, play(config, [{ at: noon }]).feed, text);
  };

  test("has the text and the updates of a notice, the newest first", () => {
    const update = "\n## 2026-03-10T11:30:00Z identified\n\nA disk failed.\n";
    const { incidents, page } = summaryOf(withNotice("mirrors: [1]", `We look into it.\n${update}`));
    expect(page.updated_at).toBe("2026-03-10T12:00:00.000Z");
    expect(incidents).toMatchObject([
      {
        ...{ name: "Disks", status: "identified", shortlink: `${url}/incidents/disks/` },
        ...{ started_at: "2026-03-10T11:00:00.000Z", updated_at: "2026-03-10T11:30:00.000Z" },
        incident_updates: [
          { status: "identified", body: "A disk failed.", display_at: "2026-03-10T11:30:00.000Z" },
          { status: "investigating", body: "We look into it.", display_at: "2026-03-10T11:00:00.000Z" },
        ],
      },
    ]);
    const [{ incident_updates } = { incident_updates: [] }] = incidents;
    expect(new Set(incident_updates.map(({ id }) => id)).size).toBe(2);
  });

  test.each<[string, string, string[]]>([
    ["a state", "mirrors: [1]\nstate: monitoring", ["monitoring"]],
    ["no state", "mirrors: [1]", ["investigating"]],
    ["no mirrors", "", []],
    ["an end", "mirrors: [1]\nto: 2026-03-10T11:30:00Z", []],
    ["the state planned", "mirrors: [1]\nstate: planned", []],
    ["the state resolved", "mirrors: [1]\nstate: resolved\nto: 2026-03-10T13:00:00Z", []],
  ])("is ongoing for a notice with %s", (_name, head, expected) => {
    const { incidents } = summaryOf(withNotice(head));
    expect(incidents.map(({ status }) => status)).toEqual(expected);
    expect(incidents.flatMap((one) => one.incident_updates).map(({ status }) => status)).toEqual(expected);
  });
});

test("maintenance is listed until its end, with what it is about", () => {
  const times = { from: "2026-03-10T12:00:00Z", to: "2026-03-10T14:00:00Z" };
  const own = configOf({ site: { url }, maintenance: [{ ...times, scope: "s/p", reason: "New disks" }] });
  const listed = (at: number) => summaryOf(play(own, [{ at }]).feed).scheduled_maintenances;
  const [planned] = listed(noon - 1);
  expect(planned).toMatchObject({
    ...{ name: "Maintenance: s/p", status: "scheduled", impact: "maintenance", shortlink: `${url}/` },
    ...{ scheduled_for: "2026-03-10T12:00:00.000Z", scheduled_until: "2026-03-10T14:00:00.000Z" },
    incident_updates: [{ status: "scheduled", body: "New disks" }],
    components: [{ name: "s/p/t" }, { name: "s/p/u" }],
  });
  expect(listed(noon)).toMatchObject([{ id: planned?.id, status: "in_progress" }]);
  expect(listed(noon + 2 * hour)).toEqual([]);
});

test("without the URL of the site there are no links, and the ids are the same", () => {
  const without = summaryOf(play(configOf(), [{ at: noon }]).feed);
  expect(without.page.url).toBe("");
  expect(without.page.id).toBe(summaryOf(play(config, [{ at: noon }]).feed).page.id);
});
