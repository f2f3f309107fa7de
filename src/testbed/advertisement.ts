import { advertise, numberedRefs, type Ref } from "./pkt-line.ts";
import type { Handler } from "./server.ts";

/** The media type of a ref advertisement. Source: gitprotocol-http. */
export const mediaType = "application/x-git-upload-pack-advertisement";

/** Returns a handler for a valid advertisement, made without Git. Without refs, HEAD is `headId`. */
export function advertisement(refs: readonly Ref[] = numberedRefs(2)): Handler {
  return ({ response }) => {
    response.writeHead(200, { "content-type": mediaType }).end(advertise(refs));
  };
}
