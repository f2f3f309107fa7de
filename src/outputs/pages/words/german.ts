import { formatList } from "../../../base/text/count.ts";
import type { ScriptWords, Words } from "./english.ts";
import { germanIncidents } from "./german-incidents.ts";
import { germanDative, germanDuration, germanInteger, germanPercent } from "./german-numbers.ts";
import { germanMirrors } from "./german-mirrors.ts";
import { germanCodes, germanUses } from "./german-codes.ts";

/** Every word of the pages in German. */
export const german: Words = {
  language: "de",
  locale: "de",
  number: {
    integer: germanInteger,
    percent: germanPercent,
    duration: germanDuration,
  },
  layout: {
    skip: "Zum Inhalt springen",
    site: "Seiten",
    status: "Status",
    api: "API",
    changeFeed: "Änderungen als Feed",
    changes: "Änderungen",
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
    allReachable: (total) => `Alle ${germanInteger(total)} Spiegel sind erreichbar.`,
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
    disagreeing: (count) => `Die Standorte sind sich über ${germanInteger(count)} Spiegel uneinig.`,
    undecided: (count) =>
      `Zu ${germanInteger(count)} ${count === 1 ? "Spiegel" : "Spiegeln"} gibt es noch kein Urteil.`,
    behind: (count) => `${germanInteger(count)} Spiegel ${count === 1 ? "liegt" : "liegen"} zurück.`,
    differs: (count) => `${germanInteger(count)} Spiegel ${count === 1 ? "weicht" : "weichen"} ab.`,
    maintenance: (count) => `${germanInteger(count)} Spiegel ${isOrAre(count)} in Wartung.`,
  },
  nodeRow: {
    columns: {
      run: ["90 Tage und heute", "Verfügbarkeit bis Mitternacht UTC", "Latenz"],
      day: ["90 Tage", "Verfügbarkeit bis Mitternacht UTC", "mittlere Latenz"],
    },
    reachable: (online, total) => `${germanInteger(online)} von ${germanInteger(total)} erreichbar`,
    behind: "liegt zurück",
    differs: "weicht ab",
    maintenance: "in Wartung",
    primary: "primär",
    uptime: "Verfügbarkeit",
    toMidnight: "bis Mitternacht UTC",
    notKnown: "noch nicht bekannt",
    latency: "Latenz",
    days: (name, summary) => `${name}, ${summary}`,
  },
  problems: {
    heading: "Braucht Aufmerksamkeit",
    more: (count) => `und ${germanInteger(count)} weitere`,
    mirrorsAt: (count, host) => `${germanInteger(count)} Spiegel auf ${host}`,
    maintenance: (reason) => `in Wartung: ${reason}`,
  },
  overview: {
    lastRun: "Letzter Lauf",
    valid: "Gültig",
    observedFrom: (vantages) => `Beobachtet von ${formatList(vantages, "und")}.`,
    vantagesOffline: (vantages) =>
      `${formatList(vantages, "und")} ${vantages.length === 1 ? "war offline und zählt" : "waren offline und zählen"} nicht.`,
    missingShards: (vantage, count) =>
      `${vantage} hat für ${germanInteger(count)} ${count === 1 ? "Teil" : "Teile"} keine Ergebnisse, daher wurden einige Spiegel nicht beobachtet.`,
  },
  projectSection: {
    targets: "Ziele",
    projects: (count) => `${germanInteger(count)} ${count === 1 ? "Projekt" : "Projekte"}`,
    size: (targets, mirrors) =>
      `${germanInteger(targets)} ${targets === 1 ? "Ziel" : "Ziele"}, ${germanInteger(mirrors)} Spiegel`,
  },
  project: {
    breadcrumbs: "Pfad",
    overview: "Übersicht",
    systems: "Systeme",
    runHint: { before: "Die Zeit des letzten Laufs steht auf der", link: "Übersicht", after: "." },
    asFiles: "Als Dateien:",
    statuses: "Status",
    evidence: "Belege",
    changes: "Änderungen",
  },
  nodeStatus: {
    online: "Online",
    offline: "Offline",
    noVerdict: "Noch kein Urteil",
    neverReached: "Nie erreicht",
    inSync: "auf dem Stand der Referenz",
    freshnessUnknown: "Stand unbekannt",
    notVerified: "nicht bestätigt",
    withStatus: (sentence, status) => `${sentence} (Status ${status})`,
    differs: "weicht von der Referenz ab",
    behind: "liegt zurück",
    certificateExpires: (date) => `Zertifikat läuft am ${date} ab`,
    certificateExpired: (date) => `Zertifikat ist am ${date} abgelaufen`,
    disagree: (votes) => `die Standorte sind sich uneinig: ${formatList(votes, "und")}`,
    vote: (vantage, code) => `${vantage} sah ${code}`,
    notObserved: "im letzten Lauf nicht beobachtet",
    inLastRun: (cause) => `im letzten Lauf: ${cause}`,
    refs: {
      missing: (count) => `${refs(count)} fehlen`,
      different: (count) => `${refs(count)} verschieden`,
      extra: (count) => `${refs(count)} mehr`,
    },
  },
  incidents: germanIncidents,
  maintenance: {
    heading: "Wartung",
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
  /** The pages of targets and of mirrors. */
  mirrors: germanMirrors,
};

function refs(count: number): string {
  return `${germanInteger(count)} ${count === 1 ? "Ref" : "Refs"}`;
}

function isOrAre(count: number): string {
  return count === 1 ? "ist" : "sind";
}

/** Returns the start of a sentence: `1 von 22 Spiegeln ist`. */
function mirrorsOf(count: number, total: number): string {
  return `${germanInteger(count)} von ${germanInteger(total)} ${total === 1 ? "Spiegel" : "Spiegeln"} ${isOrAre(count)}`;
}

/** Every word of the script of the pages in German. */
export const germanScript: ScriptWords = {
  locale: "de",
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
