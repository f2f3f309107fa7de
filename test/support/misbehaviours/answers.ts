import { answer } from "../../../src/testbed/behaviours.ts";
import type { Handler } from "../../../src/testbed/server.ts";

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

/** Answers with a JSON document and status 200. */
export function json(): Handler {
  return answer(200, { "content-type": "application/json" }, '{"message":"fine"}\n');
}
