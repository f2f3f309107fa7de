import { formatList } from "../../../base/text/count.ts";
import type { Words } from "./english.ts";
import { germanCodes, germanUses } from "./german-codes.ts";
import { germanMirrors } from "./german-mirrors.ts";
import { germanCount, germanDuration, germanInteger, germanPercent } from "./german-numbers.ts";

const isOrAre = (count: number) => (count === 1 ? "ist" : "sind");
const mirrors = (count: number) => `${germanInteger(count)} Spiegel`;

/** Returns the start of a sentence: `1 von 22 Spiegeln ist`. */
const mirrorsOf = (count: number, total: number) =>
  `${germanInteger(count)} von ${germanCount(total, "Spiegel", "Spiegeln")} ${isOrAre(count)}`;

/** Every word of the pages in German. */
export const german: Words = {
  language: "de",
  locale: "de",
  number: { integer: germanInteger, percent: germanPercent, duration: germanDuration },
  terms: {
    status: "Status",
    reason: "Grund",
    freshness: "Aktualität",
    maintenance: "Wartung",
    uptime: "Verfügbarkeit",
    toMidnight: "bis Mitternacht UTC",
    latency: "Latenz",
    changes: "Änderungen",
    primary: "primär",
    behind: "liegt zurück",
    asFiles: "Als Dateien:",
    statuses: "Status",
    evidence: "Belege",
    more: (count) => `und ${germanInteger(count)} weitere`,
  },
  layout: {
    skip: "Zum Inhalt springen",
    site: "Seiten",
    status: "Status",
    api: "API",
    changeFeed: "Änderungen als Feed",
    logo: "Logo",
    outOfDate: "Dieser Feed ist veraltet.",
    expired: ["Sein letzter Lauf war ", ", und er ist ", " abgelaufen."],
    statuses: "Status als JSON",
    heartbeat: "Letzter Lauf als JSON",
    metrics: "Metriken",
    generatedBy: ["Erzeugt von ", " als statische Dateien."],
  },
  pageState: {
    online: "Online",
    offline: (count) => `${count} offline`,
    unknown: (count) => `${count} unbekannt`,
  },
  sentence: {
    codes: germanCodes,
    uses: germanUses,
    unknownCode: "Diese Version von mirrorfeed kennt den Code der Beobachtung nicht.",
    certificateExpired: (date) => `Sein Zertifikat ist am ${date} abgelaufen.`,
  },
  timestamp: {
    until: (timestamp) => `bis ${timestamp}`,
    since: (timestamp) => `seit ${timestamp}`,
  },
  legend: {
    heading: "So lesen Sie diese Seite",
    online: "bei der letzten Beobachtung erreichbar",
    offline: "nicht erreichbar",
    some: "ein Ziel, von dem einige Spiegel erreichbar sind",
    unknown: "noch kein Urteil",
    goodDay: "ein Tag ohne Ausfall",
    someDay: "einige Läufe schlugen fehl",
    badDay: "mindestens die Hälfte der Läufe schlug fehl",
    unobservedDay: "nicht beobachtet, zählt daher nicht",
    dayBefore: "bevor der Spiegel zum Feed gehörte",
    explanation:
      "Die Verfügbarkeit ist der Anteil erfolgreicher Beobachtungen in den 90 Tagen vor der letzten Mitternacht (UTC). Zeit ohne Beobachtungen zählt nicht. Ein Spiegel liegt zurück, wenn er hat, was die Referenz seines Ziels früher hatte. Er weicht ab, wenn ihm einen Tag oder länger fehlt, was die Referenz hat.",
  },
  summary: {
    nothingKnown: "Noch ist nichts bekannt.",
    neverReached: [
      "Noch nie wurde ein Spiegel erreicht; wahrscheinlich war der Prüfer selbst offline.",
      "Bis einer erreicht wird, ist jeder Status 0 und sagt nichts über die Spiegel aus.",
    ],
    noVerdicts: "Zu keinem Spiegel gibt es schon ein Urteil.",
    onlyReachable: "Der einzige Spiegel ist erreichbar.",
    bothReachable: "Beide Spiegel sind erreichbar.",
    allReachable: (total) => `Alle ${mirrors(total)} sind erreichbar.`,
    noneOffline: "Kein Spiegel ist offline.",
    reachable: (online, total) => `${mirrorsOf(online, total)} erreichbar.`,
    reachableEverywhere: (online, total) => `${mirrorsOf(online, total)} von jedem Standort aus erreichbar.`,
    onlyOffline: "Der einzige Spiegel ist offline.",
    noneReachable: "Kein Spiegel ist erreichbar.",
    bothOffline: "Beide sind offline.",
    allOffline: (total) => `Alle ${germanInteger(total)} sind offline.`,
    offline: (offline, total) => `${mirrorsOf(offline, total)} offline.`,
    everyTarget: "Jedes Ziel hat noch einen erreichbaren Spiegel.",
    unreachableTargets: (count, total) =>
      `${germanInteger(count)} von ${germanInteger(total)} Zielen haben keinen erreichbaren Spiegel.`,
    unreachableTarget: (names) => `Kein Spiegel von ${formatList(names, "oder")} ist erreichbar.`,
    disagreeing: (count) => `Die Standorte sind sich über ${mirrors(count)} uneinig.`,
    undecided: (count) => `Zu ${germanCount(count, "Spiegel", "Spiegeln")} gibt es noch kein Urteil.`,
    behind: (count) => `${mirrors(count)} ${count === 1 ? "liegt" : "liegen"} zurück.`,
    differs: (count) => `${mirrors(count)} ${count === 1 ? "weicht" : "weichen"} ab.`,
    maintenance: (count) => `${mirrors(count)} ${isOrAre(count)} in Wartung.`,
  },
  problems: {
    heading: "Braucht Aufmerksamkeit",
    mirrorsAt: (count, host) => `${mirrors(count)} auf ${host}`,
    maintenance: (reason) => `in Wartung: ${reason}`,
  },
  overview: {
    lastRun: "Letzter Lauf",
    valid: "Gültig",
    observedFrom: (vantages) => `Beobachtet von ${formatList(vantages, "und")}.`,
    vantagesOffline: (vantages) =>
      `${formatList(vantages, "und")} ${vantages.length === 1 ? "war offline und zählt" : "waren offline und zählen"} nicht.`,
    missingShards: (vantage, count) =>
      `${vantage} hat für ${germanCount(count, "Teil", "Teile")} keine Ergebnisse, daher wurden einige Spiegel nicht beobachtet.`,
  },
  places: {
    breadcrumbs: "Pfad",
    overview: "Übersicht",
    systems: "Systeme",
    targets: "Ziele",
    projects: (count) => germanCount(count, "Projekt", "Projekte"),
    size: (targets, count) => `${germanCount(targets, "Ziel", "Ziele")}, ${mirrors(count)}`,
    runHint: { before: "Die Zeit des letzten Laufs steht auf der", link: "Übersicht", after: "." },
    changes: "Änderungen",
  },
  incidents: {
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
    mirrorsAt: (count, host) => `${mirrors(count)} bei ${host}`,
    title: (subject, count, isOpen) =>
      `${subject} ${isOpen ? isOrAre(count) : count === 1 ? "war" : "waren"} offline`,
    cause: "Ursache",
    host: "Host",
    start: "Beginn",
    end: "Ende",
    duration: "Dauer",
    affected: "Betroffene Spiegel",
    gone: (count) => `${mirrors(count)} davon ${count === 1 ? "gehört" : "gehören"} nicht mehr zum Feed.`,
    mirror: (id) => `Spiegel ${id}`,
    left: "nicht mehr im Feed",
    timeline: "Verlauf",
    observed: "Was der Feed beobachtet hat",
    written: "Vom Betreiber:",
    wentOffline: (count) => `${mirrors(count)} ${count === 1 ? "ging" : "gingen"} offline:`,
    cameBack: (count) => `${mirrors(count)} ${count === 1 ? "kam" : "kamen"} wieder online:`,
  },
  maintenance: {
    more: (count) => `Und ${germanInteger(count)} weitere.`,
    calendar: "Als Kalender",
  },
  subscribe: {
    heading: "Abonnieren",
    site: "alle Änderungen",
    project: "dieses Projekt",
    target: "dieses Ziel",
    atom: (subject) => `Atom: ${subject}`,
    json: (subject) => `JSON Feed: ${subject}`,
    maintenance: "Kalender: Wartung",
  },
  ...germanMirrors,
};
