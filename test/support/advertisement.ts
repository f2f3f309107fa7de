import { hash } from "node:crypto";
import type { Handler } from "./mirror-server.ts";

/** The media type of a ref advertisement. Source: gitprotocol-http. */
export const mediaType = "application/x-git-upload-pack-advertisement";

/** Returns a handler that sends a ref advertisement made without Git. By default, HEAD and `main` are at `headId`. */
export function advertisement(refs: readonly Ref[] = numberedRefs(2)): Handler {
  return ({ response }) => {
    response.writeHead(200, { "content-type": mediaType }).end(advertise(refs));
  };
}

export interface Ref {
  readonly id: string;
  readonly name: string;
}

/** Returns one pkt-line: four hexadecimal digits with the length, then the text (ASCII). Source: gitprotocol-common. */
export function pktLine(text: string): string {
  return `${(text.length + 4).toString(16).padStart(4, "0")}${text}`;
}

/** Returns the packets that announce a service. Over HTTP they precede the refs. Source: gitprotocol-http, "Smart Server Response". */
export function servicePackets(service = "git-upload-pack"): string {
  return `${pktLine(`# service=${service}\n`)}0000`;
}

/**
 * Returns a ref advertisement of protocol version 0, with the capabilities on its first line. Source: gitprotocol-pack.
 */
export function advertise(
  refs: readonly Ref[],
  capabilities = "ofs-delta symref=HEAD:refs/heads/main",
): string {
  const lines = refs.map(({ id, name }, index) =>
    pktLine(index === 0 ? `${id} ${name}\0${capabilities}\n` : `${id} ${name}\n`),
  );
  return `${servicePackets()}${lines.join("")}0000`;
}

/** Returns a SHA-1 object id, which is always the same for the same number. */
export function objectId(number: number): string {
  return hash("sha1", String(number));
}

/** Returns `count` refs (at least two): HEAD, its branch, and tags. */
export function numberedRefs(count: number): Ref[] {
  const tags = Array.from({ length: Math.max(0, count - 2) }, (_, index) => ({
    id: objectId(index),
    name: `refs/tags/v${index}`,
  }));
  return [{ id: headId, name: "HEAD" }, { id: headId, name: "refs/heads/main" }, ...tags];
}

/** HEAD's object id in advertisements made without Git. */
export const headId = objectId(0);
