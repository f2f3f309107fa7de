import { advertisement } from "./advertisement.ts";
import type { Handler } from "./server.ts";

/** A port of the reserved range that no known service has. */
const nowhere = "http://127.0.0.1:2/";

/** A redirect to a url, taken as it is; by default to a port where nobody listens. */
export function redirect(location = nowhere, status = 302): Handler {
  return ({ response }) => {
    response.writeHead(status, { location }).end();
  };
}

/** A redirect of a whole mirror: what is asked below it is found at the same place below the other url. */
export function moved(mirrorUrl = nowhere, status = 301): Handler {
  return ({ response, path }) => {
    response.writeHead(status, { location: `${mirrorUrl.replace(/\/$/, "")}${path}` }).end();
  };
}

/** A redirect to the very url that was asked. */
export function redirectLoop(): Handler {
  return ({ request, response }) => {
    response.writeHead(302, { location: request.url ?? "/" }).end();
  };
}

/** So many redirects one after the other, counted in the query, then an answer. */
export function redirectChain(length = 3, finish: Handler = advertisement()): Handler {
  return (exchange) => {
    const { request, response } = exchange;
    const [pathname = "/", query = ""] = (request.url ?? "/").split("?", 2);
    const parameters = new URLSearchParams(query);
    const step = Number(parameters.get("step") ?? 0);
    if (step >= length) return finish(exchange);
    parameters.set("step", String(step + 1));
    response.writeHead(302, { location: `${pathname}?${parameters.toString()}` }).end();
  };
}

/** 302 that does not say where to. */
export function redirectWithoutLocation(): Handler {
  return ({ response }) => {
    response.writeHead(302).end();
  };
}

/** A redirect to a scheme that is not of the web. */
export function redirectToFtp(): Handler {
  return redirect("ftp://127.0.0.1/packages");
}

/** A redirect to a url with a user and a password in it. */
export function redirectWithCredentials(location = nowhere): Handler {
  const url = new URL(location);
  url.username = "someone";
  url.password = "secret";
  return redirect(url.href);
}
