import type { Greeter, Handler } from "./mirror-server.ts";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

const loginForm = `<!doctype html>
<html lang="en">
<head><title>Sign in</title></head>
<body><form action="/login" method="post"><input name="user"><input name="password" type="password"></form></body>
</html>
`;

export function answer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body = `Status ${status}\n`,
): Handler {
  return ({ response }) => {
    response.writeHead(status, { "content-type": "text/plain", ...headers }).end(body);
  };
}

export function loginPage(): Handler {
  return answer(200, { "content-type": "text/html; charset=utf-8" }, loginForm);
}

/** Redirects every path of a mirror to the same path below another URL. */
export function moved(mirrorUrl: string): Handler {
  return ({ response, path }) => {
    response.writeHead(301, { location: `${mirrorUrl.replace(/\/$/, "")}${path}` }).end();
  };
}

export function silent(): Handler {
  return () => undefined;
}

/** Answers after a delay, unless the client has disconnected. */
export function slow(delayMs: number, answer: Handler): Handler {
  return async (exchange) => {
    const { response } = exchange;
    await Promise.race([sleep(delayMs, undefined, { ref: false }), once(response, "close")]);
    if (!response.closed) await answer(exchange);
  };
}

export function sshBanner(): Greeter {
  return { atConnection: (connection) => connection.resume().write("SSH-2.0-OpenSSH_9.6\r\n") };
}

/** Resets the first `failures` connections, then answers. Each handler has its own count. */
export function flaky(failures: number, answer: Handler): Handler {
  let left = failures;
  return (exchange) => {
    if (left === 0) return answer(exchange);
    left -= 1;
    exchange.reset();
  };
}
