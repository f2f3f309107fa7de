import { advertisement } from "../advertisement.ts";
import type { Handler } from "../../../src/testbed/server.ts";
import { nowhere } from "../loopback.ts";

/** Redirects to a URL, unchanged. By default to a port that nothing listens on. */
export function redirect(location = nowhere, status = 302): Handler {
  return ({ response }) => {
    response.writeHead(status, { location }).end();
  };
}

/** Redirects to the requested URL itself. */
export function redirectLoop(): Handler {
  return ({ request, response }) => {
    response.writeHead(302, { location: request.url ?? "/" }).end();
  };
}

/** Redirects this many times, counted in the query, then answers. */
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

/** Sends 302 without a location. */
export function redirectWithoutLocation(): Handler {
  return ({ response }) => {
    response.writeHead(302).end();
  };
}

/** Redirects to an FTP URL. */
export function redirectToFtp(): Handler {
  return redirect("ftp://127.0.0.1/packages");
}

/** Redirects to a URL with a user and a password. */
export function redirectWithCredentials(location = nowhere): Handler {
  const url = new URL(location);
  url.username = "someone";
  url.password = "secret";
  return redirect(url.href);
}
