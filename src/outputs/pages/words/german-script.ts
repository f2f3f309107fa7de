import type { englishDays, englishScript, englishSearch } from "./english-script.ts";
import {
  germanDative,
  germanDayCount,
  germanDuration,
  germanInteger,
  germanPercent,
} from "../../../base/text/german-numbers.ts";

export const germanScript: typeof englishScript = {
  ago: (duration) => `vor ${germanDative(duration)}`,
  ahead: (duration) => `in ${germanDative(duration)}`,
  since: (duration) => `seit ${germanDative(duration)}`,
  remaining: (duration) => `noch ${germanDuration(duration)}`,
  sinceTime: (timestamp) => `seit ${timestamp}`,
  untilTime: (timestamp) => `bis ${timestamp}`,
  lastRun: ["Letzter Lauf ", "."],
  unknown: "Unbekannt",
  copy: "Kopieren",
  copied: "Kopiert",
  notAllowed: "Nicht erlaubt",
  expired: {
    heading: (timestamp) => `Status unbekannt seit ${timestamp}.`,
    before: "Beim letzten Lauf: ",
    problems: "Brauchte beim letzten Lauf Aufmerksamkeit",
    best: "Bester Spiegel beim letzten Lauf",
    since: (duration) => `beim letzten Lauf seit ${germanDative(duration)}`,
  },
};

export const germanDays: typeof englishDays = {
  noData: "Keine Daten",
  notObserved: "Nicht beobachtet",
  noFailure: "Kein Ausfall",
  failed: (failed, of) => `${germanInteger(failed)} von ${germanInteger(of)} fehlgeschlagen`,
  latency: (mean, min, max) => (min === null ? `Latenz ${mean} ms` : `Latenz ${mean} ms (${min} bis ${max})`),
  observed: (percentage) => `${percentage} beobachtet`,
  online: "online",
  offline: "offline",
  unavailable: "Die Tage konnten nicht geladen werden.",
  dayByDay: "Tag für Tag",
  columns: ["Tag, UTC", "Ergebnis", "Beobachtet", "Mittel ms", "Min", "Max"],
  range: "Gezeigte Tage",
  days: germanDayCount,
  percent: germanPercent,
};

export const germanSearch: typeof englishSearch = {
  label: "Spiegel nach Name oder URL suchen",
  stateGroup: "Nur diese Zustände zeigen",
  sort: "Sortieren nach",
  sorts: {
    page: "Reihenfolge der Seite",
    state: "schlechtester Zustand",
    uptime: "niedrigste Verfügbarkeit",
    latency: "niedrigste Latenz",
    name: "Name",
  },
  found: (found, all) => `${germanInteger(found)} von ${germanInteger(all)} Spiegeln`,
  shown: (shown, found) => `${germanInteger(shown)} von ${germanInteger(found)} gezeigt`,
  none: "Kein Spiegel passt.",
  clear: "Zurücksetzen",
  loading: "Die Spiegel werden geladen …",
  failed: "Die Spiegel konnten nicht geladen werden.",
  percent: germanPercent,
  uptime: "Verfügbarkeit",
  states: {
    offline: "Offline",
    wrong: "Falsch",
    differs: "Weicht ab",
    behind: "Liegt zurück",
    certificate: "Zertifikat läuft ab",
    maintenance: "Wartung",
    unknown: "Unbekannt",
    online: "Online",
  },
};
