import { type Judge, type Judgement, header, refusal } from "./judgement.ts";

const service = "git-upload-pack";
const discoveryPath = `/info/refs?service=${service}`;

/** Where a repository advertises its refs (gitprotocol-http, "Smart Clients"). */
export function discoveryUrl(repository: string): URL {
  return new URL(`${repository.replace(/\/+$/, "")}${discoveryPath}`);
}

/** Whether git would take a redirect to this url: it must end as the request did, or git gives up. */
export function isDiscoveryUrl(url: URL): boolean {
  return url.href.endsWith(discoveryPath);
}

/**
 * Kind git: the answer must be the start of a reference discovery as gitprotocol-http describes it: status 200, the
 * media type of the service, the pkt-line `# service=git-upload-pack`, a flush, and then the first ref. Servers list
 * HEAD first if there is one; an empty repository and a HEAD on a missing branch have none, and are reachable.
 */
export const judgeGit: Judge = (answer) => {
  if (answer.status !== 200) return refusal(answer);
  const mediaType = header(answer, "content-type")?.split(";")[0]?.trim().toLowerCase();
  if (mediaType !== `application/x-${service}-advertisement`) return { code: "not_git" };
  const judgement = readAdvertisement(answer.body);
  return judgement ?? (answer.complete ? { code: "not_git" } : undefined);
};

const notGit: Judgement = { code: "not_git" };

function readAdvertisement(body: Buffer): Judgement | undefined {
  const announcement = readPacket(body, 0);
  if (typeof announcement !== "object") return announcement === "short" ? undefined : notGit;
  if (announcement.text !== `# service=${service}`) return notGit;
  const flush = readPacket(body, announcement.end);
  if (flush === "short") return undefined;
  if (flush !== "flush") return notGit;
  let line = readPacket(body, announcement.end + 4);
  if (typeof line === "object" && line.text === "version 1") line = readPacket(body, line.end);
  if (line === "short") return undefined;
  // An advertisement without any ref and without capabilities is a flush alone.
  if (line === "flush") return { code: "ok" };
  return typeof line === "object" ? readFirstRef(line.text) : notGit;
}

/**
 * The first ref of an advertisement of version 0 or 1 (gitprotocol-pack, "Reference Discovery"):
 * `<object id> SP <name> NUL <capabilities>`. Version 2 lists no refs here.
 */
function readFirstRef(text: string): Judgement {
  if (text === "version 2") return { code: "ok" };
  const match = /^([0-9a-f]{40}|[0-9a-f]{64}) ([^\0]+)(?:\0(.*))?$/s.exec(text);
  if (match === null) return notGit;
  const [, revision, name, capabilities] = match;
  if (name !== "HEAD" || revision === undefined) return { code: "ok" };
  // A name longer than any file system takes is none that a state would keep.
  const branch = /(?:^| )symref=HEAD:refs\/heads\/([^ ]{1,1000})(?: |$)/.exec(capabilities ?? "")?.[1];
  return branch === undefined ? { code: "ok", revision } : { code: "ok", revision, branch };
}

interface Packet {
  readonly text: string;
  readonly end: number;
}

/**
 * One pkt-line (gitprotocol-common, "pkt-line Format"): four hexadecimal digits that count themselves and what
 * follows, 0000 being a flush and the most 65520.
 */
function readPacket(body: Buffer, start: number): Packet | "flush" | "short" | "invalid" {
  const digits = body.toString("latin1", start, start + 4);
  if (!/^[0-9a-fA-F]*$/.test(digits)) return "invalid";
  if (digits.length < 4) return "short";
  const length = Number.parseInt(digits, 16);
  if (length === 0) return "flush";
  if (length < 4 || length > 65_520) return "invalid";
  const end = start + length;
  if (body.length < end) return "short";
  return { text: body.toString("utf8", start + 4, end).replace(/\n$/, ""), end };
}
