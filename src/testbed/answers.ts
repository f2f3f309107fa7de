import type { Handler } from "./server.ts";

const loginForm = `<!doctype html>
<html lang="en">
<head><title>Sign in</title></head>
<body><form action="/login" method="post"><input name="user"><input name="password" type="password"></form></body>
</html>
`;

/** Answers with a status, and with plain text unless the headers and the body say otherwise. */
export function answer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body = `Status ${status}\n`,
): Handler {
  return ({ response }) => {
    response.writeHead(status, { "content-type": "text/plain", ...headers }).end(body);
  };
}

/** Answers with a login page and status 200. */
export function loginPage(): Handler {
  return answer(200, { "content-type": "text/html; charset=utf-8" }, loginForm);
}

/** Redirects a whole mirror: a path below it goes to the same path below the other URL. */
export function moved(mirrorUrl: string): Handler {
  return ({ response, path }) => {
    response.writeHead(301, { location: `${mirrorUrl.replace(/\/$/, "")}${path}` }).end();
  };
}
