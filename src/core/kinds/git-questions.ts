import type { HttpResponse } from "../base/http/response.ts";
import type { RequestOptions } from "../base/http/transport.ts";
import { header, isChallenge } from "./mirror-files.ts";
import { packetReader, type UploadPack } from "./git-advertisement.ts";

/** Returns one pkt-line (gitprotocol-common). */
export function packet(text: string): string {
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, "0")}${text}`;
}

/** Returns the options of a request to `git-upload-pack` (gitprotocol-http, "Smart Service git-upload-pack"). */
export function uploadPackRequest(version: 0 | 1 | 2, body: string, maxBytes: number): RequestOptions {
  const headers = [
    ...["content-type", "application/x-git-upload-pack-request"],
    ...["accept", "application/x-git-upload-pack-result"],
    ...(version === 2 ? ["git-protocol", "version=2"] : []),
  ];
  return { method: "POST", headers, body, maxBytes, isGit: true };
}

const maxProofBytes = 4096;

/** Asks for a commit that the client claims to have, so the server sends an empty pack (gitprotocol-pack). */
export function proofRequest({ version, capabilities }: UploadPack, id: string): RequestOptions {
  const claim = [packet(`have ${id}\n`), packet("done\n")];
  const lines =
    version === 2
      ? [
          packet("command=fetch"),
          ...capabilities.map(packet),
          "0001",
          ...["thin-pack", "ofs-delta", "no-progress", `want ${id}\n`].map(packet),
          ...[...claim, "0000"],
        ]
      : [packet(`want ${id} ${capabilities.join(" ")}\n`), "0000", ...claim];
  return uploadPackRequest(version, lines.join(""), maxProofBytes);
}

/** Statuses that prove that a client gets nothing. With others, such as 429 or 503, it may get it later. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 410, 413, 415, 500, 502, 504]);

/** Errors that pass. `not our ref` means that the branch has moved since it was listed. */
const passing = /not our ref|temporarily|rate limit|retry later/i;

/** Git follows no redirect of this request. Returns undefined if the answer proves nothing. */
export function judgeProof(
  answer: HttpResponse,
  { version }: UploadPack,
  id: string,
): "ok" | "failed" | undefined {
  const { status, body, bounded } = answer;
  if (isChallenge(answer) || header(answer, "x-github-edge-message") !== undefined) return undefined;
  if (status >= 300) return status < 400 || refusals.has(status) ? "failed" : undefined;
  const packets = packetReader(body);
  let isAcknowledged = version === 2;
  let pack = "";
  let last = packets.next();
  for (; last.is === "line" || last.is === "delimiter"; last = packets.next()) {
    if (last.line.startsWith("\x03")) break;
    if (`${last.line} `.startsWith(`ACK ${id} `)) isAcknowledged = true;
    if (last.line.startsWith("\x01")) pack += last.line.slice(1);
  }
  if (/^(?:ERR |\x03)/.test(last.line)) return passing.test(last.line) ? undefined : "failed";
  const isWhole = last.is === "flush" || (last.is === "cut" && bounded);
  // The pack's header ends with the number of its objects (gitformat-pack).
  const hasObjects = !pack.startsWith("\0\0\0\0", 8);
  return isWhole && pack.startsWith("PACK") && (isAcknowledged || hasObjects) ? "ok" : "failed";
}

/** How far a history is walked. A larger number than Git's limit would count descendants as well. */
const maxDepth = 10_000;
/** Enough for 64 ids, and for the ends of a walk through a history with many merges. */
const maxReachBytes = 64 * 1024;

/** Asks which ids the history of `want` reaches, as a shallow clone would to be deepened (gitprotocol-pack). */
export function reachRequest(
  { version, capabilities }: UploadPack,
  want: string,
  ids: readonly string[],
): RequestOptions {
  const lines = [
    packet(`want ${want} ${capabilities.join(" ")}\n`),
    ...ids.map((id) => packet(`shallow ${id}\n`)),
    packet(`deepen ${maxDepth}\n`),
    "0000",
  ];
  return uploadPackRequest(version, lines.join(""), maxReachBytes);
}

/** Returns undefined if the answer says nothing. It is empty if an id was that of a tag, or of another length. */
export function parseReach({ status, body }: HttpResponse) {
  if (status !== 200) return undefined;
  if (body.length === 0) return "empty" as const;
  const packets = packetReader(body);
  const reached = new Set<string>();
  /** Whether the whole history was walked, so that it doesn't reach the other ids. */
  let isWhole = true;
  for (let one = packets.next(); one.is !== "flush"; one = packets.next()) {
    const [, un, id] = /^(un)?shallow ([0-9a-f]{40,64})$/.exec(one.line) ?? [];
    if (id === undefined) return undefined;
    if (un === undefined) isWhole = false;
    else reached.add(id);
  }
  return { reached, isWhole };
}
