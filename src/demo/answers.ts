import type { Handler } from "./server.ts";

const loginForm = `<!doctype html>
<html lang="en">
<head><title>Sign in</title></head>
<body><form action="/login" method="post"><input name="user"><input name="password" type="password"></form></body>
</html>
`;

function answer(status: number, headers: Readonly<Record<string, string>> = {}, body?: string): Handler {
  return ({ response }) => {
    response
      .writeHead(status, { "content-type": "text/plain", ...headers })
      .end(body ?? `Status ${status}\n`);
  };
}

/** 404. */
export function notFound(): Handler {
  return answer(404);
}

/** 410. */
export function gone(): Handler {
  return answer(410);
}

/** 403. */
export function forbidden(): Handler {
  return answer(403);
}

/** 500. */
export function serverError(): Handler {
  return answer(500);
}

/** 503 that does not say when to come back. */
export function unavailable(): Handler {
  return answer(503);
}

/** 503 with Retry-After, in seconds. */
export function overloaded(retryAfter = 30): Handler {
  return answer(503, { "retry-after": String(retryAfter) });
}

/** 429 with Retry-After, in seconds. */
export function tooManyRequests(retryAfter = 30): Handler {
  return answer(429, { "retry-after": String(retryAfter) });
}

/** 401 with the challenge a git forge sends for a repository that is private or gone. */
export function unauthorized(): Handler {
  return answer(401, { "www-authenticate": 'Basic realm="Laboratory"' });
}

/** A page to sign in at, with status 200. */
export function loginPage(): Handler {
  return answer(200, { "content-type": "text/html; charset=utf-8" }, loginForm);
}

/** A JSON document, with status 200. */
export function json(): Handler {
  return answer(200, { "content-type": "application/json" }, '{"message":"fine"}\n');
}
