import { quote } from "../text/quote.ts";
import type { VerifyResponse } from "./client.ts";
import { broken, type Finding } from "./severity.ts";

/** Returns what is wrong with the type, which is the same for all answers. */
export function checkType({ headers }: VerifyResponse): Finding[] {
  const type = headers["content-type"];
  if (/^application\/json\s*(?:;|$)/i.test(type ?? "")) return [];
  return [broken("type", "Content-Type: application/json", shown(type))];
}

/**
 * Returns what is wrong with the type of a document that a host serves as a page. The type of a document is right too.
 */
export function checkPageType(answer: VerifyResponse): Finding[] {
  const type = answer.headers["content-type"];
  if (/^text\/html\s*(?:;|$)/i.test(type ?? "") || checkType(answer).length === 0) return [];
  return [broken("type", "Content-Type: text/html", shown(type))];
}

/** Returns what is wrong with the header that lets browsers read every answer. */
export function checkCors({ headers }: VerifyResponse): Finding[] {
  const origin = headers["access-control-allow-origin"];
  if (origin === "*") return [];
  return [broken("cors", "Access-Control-Allow-Origin: *", shown(origin))];
}

/** Returns what is wrong with the list of allowed methods in the answer to another method. */
export function checkAllow({ headers }: VerifyResponse): Finding[] {
  const allowed = (headers["allow"] ?? "").split(",").map((method) => method.trim());
  if (allowed.includes("GET")) return [];
  return [broken("method", "Allow: GET, HEAD", shown(headers["allow"]))];
}

/** Returns which header of HEAD differs from the one of GET. */
export function checkHead({ headers }: VerifyResponse, known: VerifyResponse): Finding[] {
  return ["content-type", "content-length"].flatMap((name) => {
    const [expected, actual] = [String(known.headers[name]), String(headers[name])];
    // A server may leave out the length of either.
    if (expected === actual || known.headers[name] === undefined || headers[name] === undefined) return [];
    return [broken("head", `${name} ${quote(expected)}, as for GET`, quote(actual))];
  });
}

function shown(value: string | undefined): string {
  return value === undefined ? "none" : quote(value);
}
