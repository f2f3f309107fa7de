import { pktLine } from "../../support/advertisement.ts";
import {
  cut,
  good,
  head,
  headLine,
  http,
  long,
  main,
  rows,
  service,
  smart,
  smartType,
} from "../../support/raw-answer.ts";

const line = pktLine("# service=git-upload-pack\n");
const refs = `${head}${main}0000`;
const v2 = [
  "version 2\n",
  "agent=git/2.39.5\n",
  "ls-refs=unborn\n",
  "fetch=shallow\n",
  "object-format=sha1\n",
];
const v2Packets = v2.map((text) => pktLine(text)).join("");

/** An advertisement of version 2 with one line written otherwise. */
function version2(from: string, to: string): string {
  return smart(`${service}${v2.map((text) => pktLine(text.replace(from, to))).join("")}0000`);
}

/** A ref whose packet has this length. */
function sized(length: number): string {
  const text = `${main.slice(4, 60)}${"x".repeat(length)}`.slice(0, length - 4);
  return `${length.toString(16).padStart(4, "0")}${text}`;
}

const asked = "Git asks a second time, for the refs themselves; a probe asks once.";
const bound = "What comes after maxBytes is not read; the observation says so.";

/** The packets before the refs, between them and after them. */
export const packetCases = rows(
  ["start: no service line", "not_git", smart(refs)],
  [
    "start: of another service",
    "not_git",
    smart(good.replace(service, service.replace("001e", "001f").replace("upload", "receive"))),
  ],
  [
    "start: a service line without its line feed",
    "ok",
    smart(`${pktLine("# service=git-upload-pack")}0000${refs}`),
  ],
  [
    "start: a service line that ends in CRLF",
    "not_git",
    smart(`${pktLine("# service=git-upload-pack\r\n")}0000${refs}`),
  ],
  [
    "start: a service line with a blank more",
    "not_git",
    smart(`${pktLine("# service=git-upload-pack \n")}0000${refs}`),
  ],
  [
    "start: a service line in upper case",
    "not_git",
    smart(`${pktLine("# SERVICE=git-upload-pack\n")}0000${refs}`),
  ],
  ["start: a line more before the flush", "ok", smart(`${line}${pktLine("more=1\n")}0000${refs}`)],
  ["start: three lines more before the flush", "ok", smart(`${line}${pktLine("a\n").repeat(3)}0000${refs}`)],
  ["start: an empty packet for the flush", "ok", smart(`${line}0004${refs}`)],
  ["start: a delimiter for the flush", "ok", smart(`${line}0001${refs}`)],
  ["start: a response end for the flush", "ok", smart(`${line}0002${refs}`)],
  ["start: a length of three for the flush", "not_git", smart(`${line}0003${refs}`)],
  ["start: no flush before the refs", "not_git", smart(`${line}${refs}`)],
  ["start: an error for the service line", "not_git", smart(pktLine("ERR gone\n"))],
  ["start: an error before the flush", "not_git", smart(`${line}${pktLine("ERR gone\n")}0000${refs}`)],
  ["start: an error after the flush", "not_git", smart(`${service}${pktLine("ERR gone\n")}`)],
  ["start: a flush", "not_git", smart(`0000${refs}`)],
  ["start: nothing", "not_git", smart("")],
  ["start: only the service line", "not_git", smart(line)],
  ["start: only the service line and its flush", "not_git", smart(service)],
  ["start: two flushes", "ok", smart(`${service}0000`)],
  [
    "start: a NUL after the service",
    "ok",
    smart(`${pktLine("# service=git-upload-pack\0more\n")}0000${refs}`),
  ],
  ["start: a text without packets", "not_git", smart("This is not an advertisement.\n")],
  ["start: twice", "not_git", smart(`${service}${service}${refs}`)],

  ["version 1", "ok", smart(`${service}${pktLine("version 1\n")}${refs}`)],
  ["version 1 without its line feed", "ok", smart(`${service}${pktLine("version 1")}${refs}`)],
  ["version 1 without refs", "ok", smart(`${service}${pktLine("version 1\n")}0000`)],
  ["version 1 alone", "not_git", smart(`${service}${pktLine("version 1\n")}`)],
  ["version 1 twice", "not_git", smart(`${service}${pktLine("version 1\n").repeat(2)}${refs}`)],
  ["version 1 without a service line", "not_git", smart(`${pktLine("version 1\n")}${refs}`)],
  ["version 0, said aloud", "not_git", smart(`${service}${pktLine("version 0\n")}${refs}`)],
  ["version 3", "not_git", smart(`${service}${pktLine("version 3\n")}${refs}`)],
  ["version 2 unasked", "ok", smart(`${service}${v2Packets}0000`)],
  ["version 2 without a service line", "ok", smart(`${v2Packets}0000`)],
  [
    "version 2 with CRLF",
    "not_git",
    smart(`${service}${v2Packets.replace("000eversion 2", "000fversion 2\r")}0000`),
  ],
  ["version 2 without ls-refs", "not_git", version2("ls-refs=unborn", "ls-tags")],
  ["version 2 with ls-refs alone", "ok", version2("ls-refs=unborn", "ls-refs")],
  ["version 2 with ls-refs as the start of a word", "not_git", version2("ls-refs=unborn", "ls-refs2")],
  ["version 2 of SHA-256", "ok", version2("sha1", "sha256"), asked],
  ["version 2 of no known hash", "not_git", version2("sha1", "sha3")],
  ["version 2 without a hash", "ok", version2("object-format=sha1", "server-option")],
  ["version 2 without a flush", "not_git", smart(`${service}${v2Packets}`)],
  ["version 2 with a delimiter for its flush", "not_git", smart(`${service}${v2Packets}0001`)],
  ["version 2 with a response end for its flush", "not_git", smart(`${service}${v2Packets}0002`)],
  ["version 2 with an error in it", "not_git", smart(`${service}${v2Packets}${pktLine("ERR gone\n")}0000`)],
  ["version 2 with an empty packet in it", "ok", smart(`${service}${v2Packets}00040000`)],
  ["version 2 and then more", "not_git", smart(`${service}${v2Packets}0000more`)],
  ["version 2 and then refs", "not_git", smart(`${service}${v2Packets}0000${refs}`)],
  ["version 2 cut off", "not_git", smart(`${service}${v2Packets}`.slice(0, -5))],

  [
    "packet: upper-case length",
    "ok",
    smart(good.replace(head, head.slice(0, 4).toUpperCase() + head.slice(4))),
  ],
  ["packet: upper-case length of all", "ok", smart(good.replace("001e", "001E"))],
  ["packet: a length with a sign", "not_git", smart(good.replace(main.slice(0, 4), "+03d"))],
  ["packet: a length with blanks", "not_git", smart(good.replace(main.slice(0, 4), "  3d"))],
  ["packet: a length as 0x", "not_git", smart(good.replace(main.slice(0, 4), "0x3d"))],
  ["packet: the longest that is allowed", "ok", smart(`${service}${head}${sized(65_520)}0000`)],
  ["packet: three bytes too long", "ok", smart(`${service}${head}${sized(65_523)}0000`)],
  ["packet: four bytes too long", "not_git", smart(`${service}${head}${sized(65_524)}0000`)],
  ["packet: the longest length", "not_git", smart(`${service}${head}${sized(65_535)}0000`)],
  ["packet: a line feed alone in the first", "not_git", smart(`${service}0005\n0000`)],

  ["end: garbage after the first ref", "not_git", smart(`${service}${head}garbage instead of a packet`)],
  ["end: a page after the first ref", "not_git", smart(`${service}${head}<!doctype html><title>502</title>`)],
  [
    "end: an error after the first ref",
    "not_git",
    smart(`${service}${head}${pktLine("ERR out of memory\n")}`),
  ],
  [
    "end: an error and a flush after the first ref",
    "not_git",
    smart(`${service}${head}${pktLine("ERR gone\n")}0000`),
  ],
  ["end: an error without a text", "not_git", smart(`${service}${head}${pktLine("ERR\n")}0000`)],
  ["end: no flush", "not_git", smart(good.slice(0, -4))],
  ["end: half a flush", "not_git", smart(good.slice(0, -2))],
  ["end: in the middle of a ref", "not_git", smart(good.slice(0, -20))],
  ["end: in the middle of a length", "not_git", smart(`${service}${head}00`)],
  ["end: after the first ref", "not_git", smart(`${service}${head}`)],
  ["end: in the middle of the first ref", "not_git", smart(good.slice(0, service.length + 24))],
  ["end: in the capabilities", "not_git", smart(good.slice(0, service.length + headLine.length - 4))],
  ["end: a delimiter among the refs", "not_git", smart(`${service}${head}0001${main}0000`)],
  ["end: a response end among the refs", "not_git", smart(`${service}${head}0002${main}0000`)],
  ["end: a delimiter for the flush", "not_git", smart(`${service}${head}${main}0001`)],
  ["end: a length of three among the refs", "not_git", smart(`${service}${head}0003${main}0000`)],
  ["end: an empty packet among the refs", "not_git", smart(`${service}${head}0004${main}0000`)],
  ["end: a text after the flush", "ok", smart(`${good}and more`)],
  ["end: a second flush", "ok", smart(`${good}0000`)],
  ["end: an error after the flush", "ok", smart(`${good}${pktLine("ERR late\n")}`)],
  ["end: another advertisement after the flush", "ok", smart(`${good}${good}`)],
  ["end: more refs than are read", "ok", smart(long(3000))],
  ["end: garbage after more than is read", "ok", smart(`${long(3000).slice(0, -4)}garbage`), bound],
  [
    "end: a length that promises more",
    "reset",
    http("200 OK", [smartType], good)
      .toString("latin1")
      .replace(/(?<=Length: )\d+/, "9999"),
  ],
  [
    "end: a length that promises more, held open",
    "timeout",
    cut("hold", smart().replace(/(?<=Length: )\d+/, "9999")),
  ],
  ["end: a length that cuts it off", "not_git", smart().replace(/(?<=Length: )\d+/, String(good.length - 2))],
  ["end: a length without what comes after the flush", "ok", `${smart()}more`],
);
