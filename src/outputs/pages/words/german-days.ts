import type { DayWords } from "./english-days.ts";
import { germanDayCount, germanInteger, germanPercent } from "./german-numbers.ts";

/** Every word of the script that shows days, in German. */
export const germanDays: DayWords = {
  locale: "de",
  toLastRun: "bis zum letzten Lauf",
  noData: "Keine Daten",
  notObserved: "Nicht beobachtet",
  noFailure: "Kein Ausfall",
  failed: (failed, of) => `${germanInteger(failed)} von ${germanInteger(of)} fehlgeschlagen`,
  latency: (mean, min, max) =>
    min === undefined ? `Latenz ${mean} ms` : `Latenz ${mean} ms (${min} bis ${max})`,
  observed: (percentage) => `${percentage} beobachtet`,
  online: "online",
  offline: "offline",
  observedCode: (code) => `${code} im letzten Lauf`,
  unavailable: "Die Tage konnten nicht geladen werden.",
  dayByDay: "Tag für Tag",
  columns: ["Tag, UTC", "Ergebnis", "Beobachtet", "Mittel ms", "Min", "Max"],
  range: "Gezeigte Tage",
  days: germanDayCount,
  percent: germanPercent,
};
