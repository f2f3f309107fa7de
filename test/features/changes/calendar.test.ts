import { textOf } from "../../support/text-of.ts";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Feed } from "../../../src/core/feed/feed.ts";
import { renderCalendar } from "../../../src/features/changes/calendar.ts";
import { configOf, hour, noon, play } from "../../support/playing.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const calcurse = findProgram("calcurse");
const reason = "disks, cables; and \\n: a \u{1F41F} " + "ä".repeat(60);

function feedWith(maintenance: object[], at = noon, title = "Status; of, mirrors"): Feed {
  return play(configOf({ maintenance, site: { url: "https://example.org/feed/", title } }), [{ at }]).feed;
}

const windows = [
  { scope: "m2.example.org", from: "2026-03-20T06:00:00Z", to: "2026-03-20T08:30:00Z", reason },
  { scope: "s/p", from: "2026-03-10T06:00:00.000Z", to: "2026-03-11T06:00:00Z", reason: "moving" },
  { scope: 4, from: "2026-02-10T06:00:00Z", to: "2026-02-11T06:00:00Z", reason: "over" },
];

function calendarOf(feed: Feed): string {
  return textOf(renderCalendar(feed));
}

/** Returns the lines of a calendar, unfolded (RFC 5545, section 3.1). */
function linesOf(text: string): string[] {
  return text.replaceAll("\r\n ", "").split("\r\n");
}

describe("the calendar of the maintenance", () => {
  const text = calendarOf(feedWith(windows));

  test("has an event for each maintenance, with its times in UTC and its texts escaped", () => {
    expect(linesOf(text)).toEqual(
      expect.arrayContaining([
        "DTSTART:20260320T060000Z",
        "DTEND:20260320T083000Z",
        "SUMMARY:Maintenance: m2.example.org",
        `DESCRIPTION:disks\\, cables\\; and \\\\n: a \u{1F41F} ${"ä".repeat(60)}\\ns/p/t`,
        "URL;VALUE=URI:https://example.org/feed/",
        "X-WR-CALNAME:Status\\; of\\, mirrors",
        "SUMMARY:Maintenance: s/p",
        "SUMMARY:Maintenance: m4.example.org/a/b",
      ]),
    );
    expect(text.match(/^BEGIN:VEVENT/gm)).toHaveLength(3);
  });

  test("has lines of at most 75 octets that end in CRLF", () => {
    for (const line of text.split("\r\n")) {
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      expect(line).not.toContain("\n");
    }
    expect(text.endsWith("END:VCALENDAR\r\n")).toBe(true);
  });

  test("is the same after each run, and keeps its UIDs when a maintenance changes", () => {
    expect(calendarOf(feedWith(windows, noon + 5 * hour))).toBe(text);
    const uids = (calendar: string): string[] => linesOf(calendar).filter((line) => line.startsWith("UID:"));
    const longer = windows.map((one) => ({ ...one, to: "2026-03-30T06:00:00Z", reason: "more" }));
    expect(uids(calendarOf(feedWith(longer)))).toEqual(uids(text));
  });

  test("is there without maintenance too, so that readers can subscribe early", () => {
    const lines = linesOf(calendarOf(feedWith([])));
    expect(lines).toEqual(expect.arrayContaining(["BEGIN:VCALENDAR", "END:VCALENDAR"]));
    // RFC 5545, section 3.6, requires at least one component. In an empty calendar, that is the time zone.
    expect(lines.filter((line) => /^(?:BEGIN|END|TZ)/.test(line))).toEqual([
      ...["BEGIN:VCALENDAR", "BEGIN:VTIMEZONE", "TZID:Etc/UTC", "BEGIN:STANDARD", "TZOFFSETFROM:+0000"],
      ...["TZOFFSETTO:+0000", "TZNAME:UTC", "END:STANDARD", "END:VTIMEZONE", "END:VCALENDAR"],
    ]);
    expect(text).not.toContain("VTIMEZONE");
  });
});

describeWith("calcurse", calcurse !== undefined, "a calendar program of Debian", () => {
  const imported = (feed: Feed): { printed: string; apts: string } => {
    const folder = temporaryFolder("mirrorfeed-calendar-");
    const file = join(folder, "maintenance.ics");
    writeFileSync(file, calendarOf(feed));
    const data = join(folder, "data");
    const printed = execFileSync(calcurse ?? "", ["-D", data, "-C", data, "-i", file], {
      encoding: "utf8",
      env: { ...process.env, TZ: "UTC", LC_ALL: "C.UTF-8" },
    });
    return { printed, apts: readFileSync(join(data, "apts"), "utf8") };
  };

  test("takes every event of a calendar, with its times", () => {
    const { printed, apts } = imported(feedWith(windows));
    expect(printed).toMatch(/3 apps? \/ 0 events? \/ 0 todos? \/ 0 skipped/);
    expect(apts).toContain("03/20/2026 @ 06:00 -> 03/20/2026 @ 08:30");
    expect(apts).toContain("Maintenance: m2.example.org");
  });

  test("takes a calendar without events", () => {
    expect(imported(feedWith([])).printed).toMatch(/0 apps? \/ 0 events? \/ 0 todos? \/ 0 skipped/);
  });
});
