import { gzipSync } from "node:zlib";
import { advertise, headId, mediaType, numberedRefs, pktLine, servicePackets } from "../advertisement.ts";
import type { Handler } from "../../../src/testbed/server.ts";

function answer(body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Handler {
  return ({ response }) => {
    response.writeHead(200, { "content-type": mediaType, ...headers }).end(body);
  };
}

/** Sends an advertisement whose first packet announces another service. */
export function wrongService(): Handler {
  return answer(advertise(numberedRefs(2)).replace(servicePackets(), servicePackets("git-receive-pack")));
}

/** Sends the media type of an advertisement and a text without pkt-lines. */
export function noPackets(): Handler {
  return answer("This is not an advertisement.\n");
}

/** Sends a valid advertisement as plain text. */
export function plainTextAdvertisement(): Handler {
  return answer(advertise(numberedRefs(2)), { "content-type": "text/plain; charset=utf-8" });
}

/** Sends a valid advertisement with gzip as its content encoding, whatever encoding was requested. */
export function gzipAdvertisement(): Handler {
  return answer(gzipSync(advertise(numberedRefs(2))), { "content-encoding": "gzip" });
}

/** Sends a complete HTTP answer that ends in the middle of its first ref. */
export function cutAdvertisement(): Handler {
  return answer(advertise(numberedRefs(2)).slice(0, servicePackets().length + 24));
}

/** Sends a refusal of the Git protocol. Source: gitprotocol-pack, "error-line". */
export function errorLine(message = "access denied or repository not exported"): Handler {
  return answer(`${servicePackets()}${pktLine(`ERR ${message}\n`)}`);
}

/** Sends the refs file of a repository on a server without Git. Source: gitprotocol-http, "Dumb Server Response". */
export function dumbAdvertisement(): Handler {
  return answer(`${headId}\trefs/heads/main\n`, { "content-type": "text/plain" });
}
