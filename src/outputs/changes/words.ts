import { formatDuration } from "../../base/text/duration.ts";
import { germanDative } from "../../base/text/german-numbers.ts";
import type { Status } from "../../contract/network.ts";
import type { Notice, Site } from "../../feed/feed.ts";
import { germanCodes } from "../../kinds/german-codes.ts";
import { sentenceOf } from "../../kinds/kinds.ts";

type Texts = readonly [title: string, sentence: string];

const english = {
  sentence: (code: string) => sentenceOf(code),
  status: (name: string, status: Status, code: string) =>
    status === 1 ? `${name} is online` : `${name} is offline (${code})`,
  since: (status: Status, at: string, before: number | undefined) => {
    const [now, past] = status === 1 ? ["Online", "offline"] : ["Offline", "online"];
    return `${now} since ${at}${before === undefined ? "" : `, after ${formatDuration(before)} ${past}`}.`;
  },
  mirrorOf: (place: string, url: string) => `A mirror of ${place}: ${url}`,
  rewritten: (tag: string, place: string) => `${tag} of ${place} was rewritten`,
  tagMoved: (tag: string, from: string, to: string, at: string) =>
    `In the reference, ${tag} moved from ${from} to ${to}. Seen at ${at}.`,
  tagVanished: (tag: string, from: string, at: string) =>
    `The reference no longer has ${tag}, which pointed to ${from}. Seen at ${at}.`,
  seen: (at: string) => `Seen at ${at}.`,
  content: {
    in_sync: (name: string): Texts => [`${name} is in sync`, "Its content matches the reference."],
    behind: (name: string): Texts => [
      `${name} is behind`,
      "It has an older version of the reference's content.",
    ],
    differs: (name: string): Texts => [`${name} differs`, "Its content doesn't match the reference."],
  },
  wrong: (name: string, code: string) => `${name} has wrong content (${code})`,
  renewed: (name: string, expiry: string): Texts => [
    `The certificate of ${name} was renewed`,
    `Its certificate is valid until ${expiry}.`,
  ],
  expires: (name: string, expiry: string): Texts => [
    `The certificate of ${name} expires soon`,
    `Its certificate expires at ${expiry}.`,
  ],
  period: (from: string, to: string | undefined) => `From ${from}${to === undefined ? "" : ` to ${to}`}.`,
  stateIs: (state: NoticeState) => `State: ${state}.`,
  state: (state: NoticeState): string => state,
  update: "update",
  maintenance: (subject: string) => `Maintenance: ${subject}`,
};

type NoticeState = NonNullable<Notice["state"]>;

const germanStates: Readonly<Record<NoticeState, string>> = {
  investigating: "wird untersucht",
  identified: "Ursache gefunden",
  monitoring: "wird beobachtet",
  resolved: "behoben",
  planned: "geplant",
};

const german: typeof english = {
  sentence: (code) => germanCodes[code] ?? "Diese Version von mirrorfeed kennt diesen Code nicht.",
  status: (name, status, code) => (status === 1 ? `${name} ist online` : `${name} ist offline (${code})`),
  since: (status, at, before) => {
    const [now, past] = status === 1 ? ["Online", "offline"] : ["Offline", "online"];
    return `${now} seit ${at}${before === undefined ? "" : `, nach ${germanDative(before)} ${past}`}.`;
  },
  mirrorOf: (place, url) => `Ein Spiegel von ${place}: ${url}`,
  rewritten: (tag, place) => `${tag} von ${place} wurde umgeschrieben`,
  tagMoved: (tag, from, to, at) =>
    `In der Referenz wurde ${tag} von ${from} auf ${to} verschoben. Gesehen am ${at}.`,
  tagVanished: (tag, from, at) =>
    `In der Referenz fehlt jetzt ${tag}, das auf ${from} zeigte. Gesehen am ${at}.`,
  seen: (at) => `Gesehen am ${at}.`,
  content: {
    in_sync: (name) => [
      `${name} ist auf dem Stand der Referenz`,
      "Sein Inhalt stimmt mit dem der Referenz überein.",
    ],
    behind: (name) => [`${name} liegt zurück`, "Sein Inhalt entspricht einem älteren Stand der Referenz."],
    differs: (name) => [`${name} weicht ab`, "Sein Inhalt stimmt nicht mit dem der Referenz überein."],
  },
  wrong: (name, code) => `${name} hat falschen Inhalt (${code})`,
  renewed: (name, expiry) => [
    `Das Zertifikat von ${name} wurde erneuert`,
    `Sein Zertifikat gilt bis ${expiry}.`,
  ],
  expires: (name, expiry) => [
    `Das Zertifikat von ${name} läuft bald ab`,
    `Sein Zertifikat läuft am ${expiry} ab.`,
  ],
  period: (from, to) => (to === undefined ? `Ab ${from}.` : `Von ${from} bis ${to}.`),
  stateIs: (state) => `Stand: ${germanStates[state]}.`,
  state: (state) => germanStates[state],
  update: "Meldung",
  maintenance: (subject) => `Wartung: ${subject}`,
};

export const changeWords: Readonly<Record<Site["language"], typeof english>> = { en: english, de: german };
