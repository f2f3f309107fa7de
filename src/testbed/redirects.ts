import type { Handler } from "./server.ts";

/** A port of the reserved range that no known service has. */
export const nowhere = "http://127.0.0.1:2/";

/** Redirects a whole mirror: a path below it goes to the same path below the other URL. */
export function moved(mirrorUrl = nowhere, status = 301): Handler {
  return ({ response, path }) => {
    response.writeHead(status, { location: `${mirrorUrl.replace(/\/$/, "")}${path}` }).end();
  };
}
