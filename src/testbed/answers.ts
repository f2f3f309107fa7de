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

/** Answers with 404. */
export function notFound(): Handler {
  return answer(404);
}

/** Answers with 410. */
export function gone(): Handler {
  return answer(410);
}

/** Answers with 403. */
export function forbidden(): Handler {
  return answer(403);
}

/** Answers with 500. */
export function serverError(): Handler {
  return answer(500);
}

/** Answers with 503 without Retry-After. */
export function unavailable(): Handler {
  return answer(503);
}

/** Answers with 503 and Retry-After, in seconds. */
export function overloaded(retryAfter = 30): Handler {
  return answer(503, { "retry-after": String(retryAfter) });
}

/** Answers with 429 and Retry-After, in seconds. */
export function tooManyRequests(retryAfter = 30): Handler {
  return answer(429, { "retry-after": String(retryAfter) });
}

/** Answers with 401 and the challenge of a Git forge for a repository that is private or gone. */
export function unauthorized(): Handler {
  return answer(401, { "www-authenticate": 'Basic realm="Testbed"' });
}

/** Answers with a login page and status 200. */
export function loginPage(): Handler {
  return answer(200, { "content-type": "text/html; charset=utf-8" }, loginForm);
}

/** Answers with a JSON document and status 200. */
export function json(): Handler {
  return answer(200, { "content-type": "application/json" }, '{"message":"fine"}\n');
}
