import { describe, expect, test } from "vitest";
import { kinds, kindNames, reasonKeys } from "../../../../src/kinds/kinds.ts";
import { formatIn } from "../../../../src/base/text/timestamp.ts";
import { germanCodes, germanUses } from "../../../../src/kinds/german-codes.ts";
import { wordingOf } from "../../../../src/outputs/pages/page-feed.ts";
import { german } from "../../../../src/outputs/pages/words/german.ts";
import { germanScript } from "../../../../src/outputs/pages/words/german-script.ts";
import { sentenceIn } from "../../../../src/outputs/pages/node-status.tsx";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe("German", () => {
  test("has a sentence in german-codes.ts for every code, phase and cause, and no other", () => {
    expect(Object.keys(germanCodes).sort()).toEqual([...reasonKeys].sort());
  });

  test("has the title of every use, and no other", () => {
    const uses = kindNames.flatMap((name) => [
      ...(kinds[name].usages ?? []),
      ...(kinds[name].lists ?? []).map(({ usage }) => usage),
    ]);
    const titles = uses.flatMap((use) => (use === undefined ? [] : [use.title]));
    expect(Object.keys(germanUses).sort()).toEqual([...new Set(titles)].sort());
  });

  test.each([
    [0, "weniger als eine Minute", "vor weniger als einer Minute"],
    [minute, "1 Minute", "vor 1 Minute"],
    [45 * minute, "45 Minuten", "vor 45 Minuten"],
    [3 * hour, "3 Stunden", "vor 3 Stunden"],
    [2 * day, "2 Tage", "vor 2 Tagen"],
  ])("inflects a duration of %d ms", (duration, nominative, ago) => {
    expect(german.number.duration(duration)).toBe(nominative);
    expect(germanScript.ago(duration)).toBe(ago);
  });

  test("writes numbers, shares and lists as German does", () => {
    expect(german.number.integer(1_234_567)).toBe("1.234.567");
    expect(german.number.percent(0.999_99)).toBe("99,99 %");
    expect(german.overview.observedFrom(["a", "b", "c"])).toBe("Beobachtet von a, b und c.");
  });
});

describe("a code in the language of the page", () => {
  test.each([
    ["timeout", {}, "It did not answer in time.", "Er antwortete nicht rechtzeitig."],
    [
      "timeout",
      { phase: "connect" },
      "It did not accept a connection in time.",
      "Er nahm die Verbindung nicht rechtzeitig an.",
    ],
    ["timeout", { phase: "send" }, "It did not answer in time.", "Er antwortete nicht rechtzeitig."],
    [
      "tls",
      { cause: "CERT_HAS_EXPIRED", tls_expires_at: "2026-11-30T10:00:00Z" },
      "Its certificate expired on 30 Nov 2026.",
      "Sein Zertifikat ist am 30. Nov. 2026 abgelaufen.",
    ],
    ["tls", { cause: "CERT_REVOKED" }, "Its certificate was revoked.", "Sein Zertifikat wurde widerrufen."],
    [
      "no_such_code",
      {},
      "This version of mirrorfeed does not know this code.",
      "Diese Version von mirrorfeed kennt diesen Code nicht.",
    ],
  ])("says what is known: %s %j", (code, reason, inEnglish, inGerman) => {
    expect(sentenceIn(wordingOf({ language: "en", timezone: "UTC" }), code, reason)).toBe(inEnglish);
    expect(sentenceIn(wordingOf({ language: "de", timezone: "UTC" }), code, reason)).toBe(inGerman);
  });
});

describe("a time", () => {
  test.each([
    ["en-GB", "UTC", "2 Nov 2026, 23:30 UTC", "2 Nov 2026"],
    ["en-GB", "Europe/Berlin", "3 Nov 2026, 00:30 CET", "3 Nov 2026"],
    ["de", "UTC", "2. Nov. 2026, 23:30 UTC", "2. Nov. 2026"],
    ["de", "Europe/Berlin", "3. Nov. 2026, 00:30 MEZ", "3. Nov. 2026"],
  ])("has the form of %s in %s, and a day stays that of UTC", (locale, zone, timestamp, date) => {
    const format = formatIn(locale, zone);
    expect(format.timestamp("2026-11-02T23:30:09.123Z")).toBe(timestamp);
    expect(format.date("2026-11-02T23:30:09.123Z")).toBe(date);
    expect(format.day("2026-11-02")).toBe(formatIn(locale, "UTC").date("2026-11-02T12:00:00Z"));
  });
});
