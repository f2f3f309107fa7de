import type { SearchWords } from "./english-search.ts";
import { germanInteger, germanPercent } from "./german-numbers.ts";

/** Every word of the search in German. */
export const germanSearch: SearchWords = {
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
  uptime: "Verfügbarkeit bis Mitternacht UTC",
  states: {
    offline: "offline",
    behind: "liegt zurück",
    differs: "weicht ab",
    maintenance: "in Wartung",
    certificate: "Zertifikat läuft ab",
    unknown: "noch kein Urteil",
    online: "online",
  },
};
