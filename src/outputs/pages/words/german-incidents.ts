import type { IncidentWords } from "./english-incidents.ts";
import { germanDuration, germanInteger } from "./german-numbers.ts";

/** The words of the pages of incidents in German. */
export const germanIncidents: IncidentWords = {
  heading: "Vorfälle",
  recent: "Letzte Vorfälle",
  all: "Alle Vorfälle",
  none: "Kein Vorfall in den letzten 90 Tagen.",
  kept: "Ein Vorfall bleibt nach seinem Ende 90 Tage lang stehen.",
  open: "Jetzt",
  planned: "Geplant",
  ended: "Beendet",
  lasts: "dauert an",
  ongoing: "Dauert an",
  lasted: (duration) => `Dauer: ${germanDuration(duration)}`,
  states: {
    investigating: "Wird untersucht",
    identified: "Ursache gefunden",
    monitoring: "Wird beobachtet",
    resolved: "Behoben",
    planned: "Geplant",
  },
  announcements: "Ankündigungen",
  mirrorsAt: (count, host) => `${germanInteger(count)} Spiegel bei ${host}`,
  title: (subject, count, isOpen) =>
    `${subject} ${isOpen ? (count === 1 ? "ist" : "sind") : count === 1 ? "war" : "waren"} offline`,
  cause: "Ursache",
  host: "Host",
  start: "Beginn",
  end: "Ende",
  duration: "Dauer",
  affected: "Betroffene Spiegel",
  gone: (count) =>
    `${germanInteger(count)} Spiegel davon ${count === 1 ? "gehört" : "gehören"} nicht mehr zum Feed.`,
  mirror: (id) => `Spiegel ${id}`,
  left: "nicht mehr im Feed",
  timeline: "Verlauf",
  observed: "Was der Feed beobachtet hat",
  written: "Vom Betreiber:",
  wentOffline: (count) => `${germanInteger(count)} Spiegel ${count === 1 ? "ging" : "gingen"} offline:`,
  cameBack: (count) => `${germanInteger(count)} Spiegel ${count === 1 ? "kam" : "kamen"} wieder online:`,
  more: (count) => `und ${germanInteger(count)} weitere`,
};
