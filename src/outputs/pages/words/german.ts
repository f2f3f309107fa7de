import { formatList } from "../../../base/text/count.ts";
import type { MirrorState } from "../../../contract/mirror-state.ts";
import type { Condition } from "../conditions.ts";
import type { Words } from "./english.ts";
import { germanCodes, germanUses } from "../../../kinds/german-codes.ts";
import { germanMirrors } from "./german-mirrors.ts";
import {
  germanCount,
  germanDuration,
  germanInteger,
  germanPercent,
} from "../../../base/text/german-numbers.ts";
import { germanSearch } from "./german-script.ts";

const isOrAre = (count: number) => (count === 1 ? "ist" : "sind");
const mirrors = (count: number) => `${germanInteger(count)} Spiegel`;

const predicates: Readonly<Record<Condition, readonly [one: string, more: string]>> = {
  offline: ["ist offline", "sind offline"],
  missing_file: ["ist unvollständig", "sind unvollständig"],
  wrong_size: ["hat eine Datei mit falscher Größe", "haben eine Datei mit falscher Größe"],
  half_synced: ["ist nur halb synchronisiert", "sind nur halb synchronisiert"],
  expired: ["hat einen abgelaufenen Index", "haben einen abgelaufenen Index"],
  no_fetch: ["liefert nicht, was er auflistet", "liefern nicht, was sie auflisten"],
  wrong: ["hat falschen Inhalt", "haben falschen Inhalt"],
  differs: ["weicht von seiner Referenz ab", "weichen von ihrer Referenz ab"],
  behind: ["liegt zurück", "liegen zurück"],
  maintenance: ["ist in Wartung", "sind in Wartung"],
  unknown: ["ist noch unbekannt", "sind noch unbekannt"],
  online: ["ist erreichbar", "sind erreichbar"],
};
const predicate = (count: number, condition: Condition) => predicates[condition][count === 1 ? 0 : 1];

/**
 * If the best mirror is in this state, the first text follows “Kein Spiegel”. The second text, which ends with its
 * verb, follows “Spiegel, der”.
 */
const better: Readonly<Record<Exclude<MirrorState, "online">, readonly [string, string]>> = {
  offline: ["ist erreichbar", "erreichbar ist"],
  wrong: ["hat den richtigen Inhalt", "den richtigen Inhalt hat"],
  differs: ["stimmt mit seiner Referenz überein", "mit seiner Referenz übereinstimmt"],
  behind: ["ist auf dem neuesten Stand", "auf dem neuesten Stand ist"],
  maintenance: ["ist erreichbar und nicht in Wartung", "erreichbar und nicht in Wartung ist"],
  unknown: ["ist nachweislich erreichbar", "nachweislich erreichbar ist"],
};

/** For the browser's tab. */
const shortStates: Readonly<Record<Exclude<MirrorState, "online">, (count: number) => string>> = {
  offline: () => "offline",
  wrong: () => "falsch",
  differs: (count) => (count === 1 ? "weicht ab" : "weichen ab"),
  behind: (count) => predicate(count, "behind"),
  maintenance: () => "in Wartung",
  unknown: () => "unbekannt",
};

export const german: Words = {
  language: "de",
  locale: "de",
  number: { integer: germanInteger, percent: germanPercent, duration: germanDuration },
  terms: {
    status: "Status",
    reason: "Grund",
    country: "Land",
    freshness: "Aktualität",
    maintenance: "Wartung",
    uptime: "Verfügbarkeit",
    latency: "Latenz, 7 Tage",
    changes: "Änderungen",
    primary: "primär",
    behind: "liegt zurück",
    asFiles: "Dateien:",
    statuses: "Status",
    evidence: "Belege",
    more: (count) => `und ${germanInteger(count)} weitere`,
  },
  layout: {
    skip: "Zum Inhalt springen",
    site: "Seiten",
    status: "Status",
    api: "API",
    logo: "Logo",
    outOfDate: "Dieser Feed ist veraltet.",
    expired: ["Der letzte Lauf war ", ", der Feed ist ", " abgelaufen."],
    statuses: "Status als JSON",
    heartbeat: "Letzter Lauf als JSON",
    metrics: "Metriken",
    generatedBy: ["Erzeugt von ", " als statische Dateien."],
  },
  states: germanSearch.states,
  pageState: (state, count) =>
    state === "online" ? "Online" : `${germanInteger(count)} ${shortStates[state](count)}`,
  sentence: {
    codes: germanCodes,
    uses: germanUses,
    unknownCode: "Diese Version von mirrorfeed kennt diesen Code nicht.",
    certificateExpired: (date) => `Sein Zertifikat ist am ${date} abgelaufen.`,
  },
  timestamp: {
    until: (timestamp) => `bis ${timestamp}`,
    since: (timestamp) => `seit ${timestamp}`,
  },
  legend: {
    heading: "So lesen Sie diese Seite",
    online: "erreichbar, keine Probleme bekannt",
    some: "erreichbar, liegt aber zurück oder weicht ab; oder bei einigen Spiegeln besteht Handlungsbedarf",
    wrong: "erreichbar, aber mit falschem Inhalt",
    offline: "nicht erreichbar",
    unknown: "in Wartung oder noch nicht beobachtet",
    goodDay: "ein Tag ohne Ausfall",
    someDay: "einige Läufe sind fehlgeschlagen",
    badDay: "mindestens die Hälfte der Läufe ist fehlgeschlagen",
    unobservedDay: "nicht beobachtet, zählt daher nicht",
    dayBefore: "bevor der Spiegel zum Feed gehörte",
    explanation: (days) =>
      `Die Verfügbarkeit ist der Anteil erfolgreicher Beobachtungen ${days < 2 ? "seit dem ersten Lauf" : `in den letzten ${germanInteger(days)} Tagen einschließlich heute`}. Zeit ohne Beobachtungen zählt nicht. Ein Spiegel liegt zurück, wenn er einen älteren Stand der Referenz seines Ziels hat. Er weicht ab, wenn ihm seit mindestens einem Tag etwas fehlt, das die Referenz hat.`,
  },
  summary: {
    nothingKnown: "Noch ist nichts bekannt.",
    neverReached: [
      "Bisher wurde noch kein Spiegel erreicht; wahrscheinlich war der Prüfer selbst offline.",
      "Bis einer erreicht wird, ist jeder Status 0 und sagt nichts über die Spiegel aus.",
    ],
    all: (total, condition) =>
      `${total === 1 ? "Der einzige Spiegel" : total === 2 ? "Beide Spiegel" : `Alle ${mirrors(total)}`} ${predicate(total, condition)}.`,
    allBehind: (total, duration, areSomeOffline) =>
      `${total === 1 ? "Der einzige Spiegel" : areSomeOffline ? "Jeder erreichbare Spiegel" : "Jeder Spiegel"} liegt mindestens ${duration} zurück.`,
    some: (count, total, condition) =>
      `${germanInteger(count)} von ${germanCount(total, "Spiegel", "Spiegeln")} ${predicate(count, condition)}.`,
    count: (count, condition) => `${mirrors(count)} ${predicate(count, condition)}.`,
    noneOffline: "Kein Spiegel ist offline.",
    attention: (count, total) =>
      `Bei ${germanInteger(count)} von ${germanCount(total, "Spiegel", "Spiegeln")} besteht Handlungsbedarf.`,
    everyTarget: "Jedes Ziel hat noch einen guten Spiegel.",
    none: (names, state) =>
      `Kein Spiegel${names.length > 0 ? ` von ${formatList(names, "oder")}` : ""} ${better[state][0]}.`,
    targetsWithout: (count, total, state) =>
      `${germanInteger(count)} von ${germanInteger(total)} Zielen haben keinen Spiegel, der ${better[state][1]}.`,
    disagreeing: (count) =>
      `Die Standorte sind sich bei ${germanCount(count, "Spiegel", "Spiegeln")} uneinig.`,
  },
  problems: {
    heading: "Handlungsbedarf",
    mirrorsAt: (count, host) => `${mirrors(count)} bei ${host}`,
  },
  overview: {
    lastRun: "Letzter Lauf",
    valid: "Gültig",
    observedFrom: (vantages) => `Beobachtet von ${formatList(vantages, "und")}.`,
    vantagesOffline: (vantages) =>
      `${formatList(vantages, "und")} ${vantages.length === 1 ? "war offline und zählt" : "waren offline und zählen"} nicht.`,
    missingShards: (vantage, count) =>
      `Für ${vantage} fehlen die Ergebnisse von ${germanCount(count, "Teillauf", "Teilläufen")}, daher wurden einige Spiegel nicht beobachtet.`,
  },
  places: {
    breadcrumbs: "Pfad",
    overview: "Übersicht",
    systems: "Systeme",
    targets: "Ziele",
    projects: (count) => germanCount(count, "Projekt", "Projekte"),
    size: (targets, count) => `${germanCount(targets, "Ziel", "Ziele")}, ${mirrors(count)}`,
    runHint: { before: "Die", link: "Übersicht", after: " zeigt, bis wann dies gilt." },
    changes: "Änderungen",
  },
  incidents: {
    heading: "Vorfälle",
    recent: "Letzte Vorfälle",
    all: "Alle Vorfälle",
    none: (days) =>
      days < 2 ? "Noch keine Vorfälle." : `Keine Vorfälle in den ${germanInteger(days)} beobachteten Tagen.`,
    kept: "Vorfälle bleiben nach ihrem Ende noch 90 Tage hier, jedoch nur die neuesten 500.",
    filter: "Vorfälle suchen",
    earlier: (count) => (count === 1 ? "und einmal zuvor" : `und ${germanInteger(count)}-mal zuvor`),
    next: "Nächste Meldung",
    updates: "Meldungen",
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
    gone: (count) =>
      `${germanCount(count, "betroffener Spiegel gehört", "betroffene Spiegel gehören")} nicht mehr zum Feed.`,
    mirror: (id) => `Spiegel ${id}`,
    left: "nicht mehr im Feed",
    timeline: "Verlauf",
    observed: "Was der Feed beobachtet hat",
    written: "Vom Betreiber:",
    wentOffline: (count) => `${mirrors(count)} ${count === 1 ? "ging" : "gingen"} offline:`,
    cameBack: (count) => `${mirrors(count)} ${count === 1 ? "kam" : "kamen"} wieder online:`,
  },
  notFound: {
    heading: "Seite nicht gefunden",
    explanation:
      "Unter dieser Adresse gibt es keine Seite. Vielleicht gehörte sie zu einem Spiegel, der nicht mehr im Feed ist.",
  },
  maintenance: {
    more: (count) => `Und ${germanInteger(count)} weitere.`,
    calendar: "Als Kalender",
  },
  subscribe: {
    heading: "Abonnieren",
    explanation:
      "Feedreader und Kalender rufen Änderungen von dieser Website ab. Sie brauchen weder ein Konto noch eine E-Mail-Adresse.",
    changes:
      "Vorfälle, Ankündigungen sowie Änderungen an Status, Inhalten und Zertifikaten. Das Neueste steht zuerst.",
    projects: "Änderungen je Projekt",
    calendar: "Geplante Wartungen für Ihren Kalender.",
    addCalendar: "Zum Kalender hinzufügen",
    calendarFile: "Kalenderdatei",
    site: "alle Änderungen",
    project: "dieses Projekt",
    target: "dieses Ziel",
    atom: (subject) => `Atom: ${subject}`,
    json: (subject) => `JSON Feed: ${subject}`,
  },
  ...germanMirrors,
};
