import { headId } from "../../support/advertisement.ts";
import { good, http, type RawAnswer, rows, smart, smartType, under } from "../../support/raw-answer.ts";

const challenge = 'WWW-Authenticate: Basic realm="x"';

/** A good advertisement under this status. */
function as(status: string, ...headers: readonly string[]): Buffer {
  return http(status, [smartType, ...headers], good);
}

/** An interim answer, and then a good one. */
function after(...interim: readonly string[]): string {
  return `${interim.join("")}${smart()}`;
}

function inParts(...parts: readonly string[]): RawAnswer {
  return { parts, then: "end" };
}

const goOn = "HTTP/1.1 100 Continue\r\n\r\n";
const unasked =
  "Undici ends the connection at a 100 Continue that no request asked for; no Git server is known to send one.";
const switched = "The request names no other protocol; curl reads on as if this were an answer.";

/** Statuses, interim answers first. */
export const statusCases = rows(
  ["status 100 unasked, then 200", "reset", after(goOn), unasked],
  [
    "status 100 in parts, then 200",
    "reset",
    inParts("HTTP/1.", "1 10", "0 Continue\r\n", "\r", "\nHTTP/1.1 2", smart().slice(10)),
    unasked,
  ],
  [
    "status 100 after 102, then 103 and 200",
    "reset",
    after("HTTP/1.1 102 X\r\n\r\n", goOn, "HTTP/1.1 103 Y\r\nLink: </a>\r\n\r\n"),
    unasked,
  ],
  ["status 100, then 404", "reset", `${goOn}${http("404 Not Found", []).toString()}`],
  ["status 100 and the end", "reset", goOn],
  [
    "status 102 and 103, then 200",
    "ok",
    after("HTTP/1.1 102 X\r\n\r\n", "HTTP/1.1 103 Y\r\nLink: </a>\r\n\r\n"),
  ],
  ["status 102, then 200", "ok", after("HTTP/1.1 102 Processing\r\n\r\n")],
  ["status 103 with a link, then 200", "ok", after("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")],
  ["status 199, then 200", "ok", after("HTTP/1.1 199 X\r\n\r\n")],
  [
    "status 101 with an advertisement",
    "not_http",
    under(["HTTP/1.1 101 Switching Protocols", smartType], good),
    switched,
  ],
  ["status 099", "not_http", under(["HTTP/1.1 099 X", smartType], good)],
  ["status 000", "not_http", under(["HTTP/1.1 000 X", smartType], good)],

  ["status 201", "ok", as("201 Created")],
  ["status 202", "ok", as("202 Accepted")],
  ["status 203", "ok", as("203 Non-Authoritative Information")],
  ["status 204 without a body", "not_git", under(["HTTP/1.1 204 No Content", smartType])],
  ["status 206", "ok", as("206 Partial Content", "Content-Range: bytes 0-9/10")],
  ["status 226", "ok", as("226 IM Used")],
  ["status 299", "ok", as("299 X")],
  ["status 300", "http_status", as("300 Multiple Choices")],
  ["status 304", "http_status", under(["HTTP/1.1 304 Not Modified", smartType])],
  ["status 400", "http_status", as("400 Bad Request")],
  ["status 401", "auth", as("401 Unauthorized", challenge)],
  ["status 401 without a challenge", "auth", as("401 Unauthorized")],
  [
    "status 403 with a page",
    "http_status",
    http("403 Forbidden", ["Content-Type: text/html"], "<p>No.</p>\n"),
  ],
  ["status 403 with an advertisement", "http_status", as("403 Forbidden")],
  ["status 404", "http_status", http("404 Not Found", [])],
  ["status 404 with an advertisement", "http_status", as("404 Not Found")],
  [
    "status 404 with the refs of a server without git",
    "http_status",
    http("404 Not Found", [], `${headId}\trefs/heads/a\n`),
  ],
  ["status 405", "http_status", as("405 Method Not Allowed")],
  ["status 407", "auth", as("407 Proxy Authentication Required", 'Proxy-Authenticate: Basic realm="x"')],
  ["status 410", "http_status", as("410 Gone")],
  ["status 429", "rate_limited", as("429 Too Many Requests", "Retry-After: 1")],
  ["status 451", "http_status", as("451 Unavailable For Legal Reasons")],
  ["status 500", "http_status", as("500 Internal Server Error")],
  ["status 502", "http_status", as("502 Bad Gateway")],
  ["status 503", "http_status", as("503 Service Unavailable")],
  ["status 503 with Retry-After", "rate_limited", as("503 Service Unavailable", "Retry-After: 1")],
  ["status 511", "captive_portal", as("511 Network Authentication Required")],
  ["status 600", "http_status", as("600 X")],
  ["status 999", "http_status", as("999 X")],
);
