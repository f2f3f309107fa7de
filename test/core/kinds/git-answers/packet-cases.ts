import { pktLine, servicePackets } from "../../../support/advertisement.ts";
import { cut, good, head, long, main, rows, service, smart } from "../../../support/raw-answer.ts";

const line = pktLine("# service=git-upload-pack\n");
const refs = `${head}${main}0000`;
const v2 = ["version 2", "agent=git/2.39.5", "ls-refs=unborn", "fetch=shallow", "object-format=sha1"];
const v2Packets = v2.map((text) => pktLine(`${text}\n`)).join("");
/** An answer that promises more than it sends. */
const promising = smart().replace(/(?<=Length: )\d+/, "9999");

// Each function returns an answer with these bytes after a valid beginning. `service` is the service line and its flush
// packet; `line` is only the service line.
const afterService = (bytes: string): string => smart(service + bytes);
const afterLine = (bytes: string): string => smart(line + bytes);
const inVersion2 = (bytes: string): string => afterService(v2Packets + bytes);

/** An advertisement of version 2 with one line changed. */
function version2(from: string, to: string): string {
  return afterService(`${v2.map((text) => pktLine(`${text.replace(from, to)}\n`)).join("")}0000`);
}

/** A ref in a packet of this length. */
function sized(length: number): string {
  const text = `${main.slice(4, 60)}${"x".repeat(length)}`.slice(0, length - 4);
  return `${length.toString(16).padStart(4, "0")}${text}`;
}

const asked = "Git sends a second request, for the refs themselves; a probe sends one.";
const bound = "Bytes after maxBytes are not read, as the observation says.";

/** Cases about packets before, between and after the refs. */
export const packetCases = [
  ...rows("not_git", {
    "start: no packets": smart("This is not an advertisement.\n"),
    "start: no service line": smart(refs),
    "start: of another service": smart(`${servicePackets("git-receive-pack")}${refs}`),
    "start: no flush before the refs": afterLine(refs),
    "start: an error for the service line": smart(pktLine("ERR gone\n")),
    "start: an error after the flush": afterService(pktLine("ERR gone\n")),
    "start: a flush": smart(`0000${refs}`),
    "start: only the service line and its flush": smart(service),
    "version 1 alone": afterService(pktLine("version 1\n")),
    "version 3": afterService(`${pktLine("version 3\n")}${refs}`),
    "version 2 without ls-refs": version2("ls-refs=unborn", "ls-tags"),
    "version 2 of no known hash": version2("sha1", "sha3"),
    "version 2 without a flush": inVersion2(""),
    "version 2 with an error in it": inVersion2(`${pktLine("ERR gone\n")}0000`),
    "version 2 and then refs": inVersion2(`0000${refs}`),
    "packet: a length with a sign": smart(good.replace(main.slice(0, 4), "+03d")),
    "packet: four bytes too long": afterService(`${head}${sized(65_524)}0000`),
    "end: garbage after the first ref": afterService(`${head}garbage instead of a packet`),
    "end: an error after the first ref": afterService(`${head}${pktLine("ERR out of memory\n")}`),
    "end: in the first ref": smart(good.slice(0, service.length + 24)),
    "end: no flush": smart(good.slice(0, -4)),
    "end: a delimiter among the refs": afterService(`${head}0001${main}0000`),
    "end: an empty packet among the refs": afterService(`${head}0004${main}0000`),
    "end: a length that cuts it off": smart().replace(/(?<=Length: )\d+/, String(good.length - 2)),
  }),
  ...rows("ok", {
    "start: a service line without line feed": smart(`${pktLine("# service=git-upload-pack")}0000${refs}`),
    "start: a line more before the flush": afterLine(`${pktLine("more=1\n")}0000${refs}`),
    "start: an empty packet for the flush": afterLine(`0004${refs}`),
    "start: a delimiter for the flush": afterLine(`0001${refs}`),
    "version 1": afterService(`${pktLine("version 1\n")}${refs}`),
    "version 2 unasked": inVersion2("0000"),
    "version 2 without a service line": smart(`${v2Packets}0000`),
    "version 2 without a hash": version2("object-format=sha1", "server-option"),
    "packet: upper-case length": smart(good.replace(head, head.slice(0, 4).toUpperCase() + head.slice(4))),
    "packet: three bytes too long": afterService(`${head}${sized(65_523)}0000`),
    "end: a text after the flush": smart(`${good}and more`),
    "end: more refs than are read": smart(long(3000)),
  }),
  ...rows("ok", { "version 2 of SHA-256": version2("sha1", "sha256") }, asked),
  ...rows("ok", { "end: garbage that is not read": smart(`${long(3000).slice(0, -4)}garbage`) }, bound),
  ...rows("reset", { "end: a length that promises more": promising }),
  ...rows("timeout", { "end: a length that promises more, held open": cut("hold", promising) }),
];
