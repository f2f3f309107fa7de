import { quote } from "../../quote.ts";
import type { Answer } from "./client.ts";
import { broken, type Finding } from "./severity.ts";

/** The type of all answers. */
export function judgeType({ headers }: Answer): Finding[] {
  const type = headers["content-type"];
  if (/^application\/json\s*(?:;|$)/i.test(type ?? "")) return [];
  return [broken("type", "Content-Type: application/json", type === undefined ? "none" : quote(type))];
}

/** Browsers may read every answer. */
export function judgeCors({ headers }: Answer): Finding[] {
  const origin = headers["access-control-allow-origin"];
  if (origin === "*") return [];
  return [broken("cors", "Access-Control-Allow-Origin: *", origin === undefined ? "none" : quote(origin))];
}

/** A refused method says which ones are not. */
export function judgeAllow({ headers }: Answer): Finding[] {
  const allowed = (headers.allow ?? "").split(",").map((method) => method.trim());
  if (allowed.includes("GET")) return [];
  return [broken("method", "Allow: GET, HEAD", headers.allow === undefined ? "none" : quote(headers.allow))];
}

/** HEAD says of a document what GET does. */
export function judgeHead({ headers }: Answer, known: Answer): Finding[] {
  return ["content-type", "content-length"].flatMap((name) => {
    const [expected, came] = [String(known.headers[name]), String(headers[name])];
    // A server may leave the length out of either.
    if (expected === came || known.headers[name] === undefined || headers[name] === undefined) return [];
    return [broken("head", `${name} ${quote(expected)}, as for GET`, quote(came))];
  });
}
