import { good, http, rows, smart, smartType, under } from "../../../support/raw-answer.ts";

const challenge = 'WWW-Authenticate: Basic realm="x"';

/** A good advertisement with this status. */
function as(status: string, ...headers: readonly string[]): Buffer {
  return http(status, [smartType, ...headers], good);
}

function each(...statuses: readonly string[]): Readonly<Record<string, Buffer>> {
  return Object.fromEntries(statuses.map((status) => [`status ${status}`, as(status)]));
}

/** Interim answers, then a good one. */
function after(...interim: readonly string[]): string {
  return `${interim.join("")}${smart()}`;
}

const goOn = "HTTP/1.1 100 Continue\r\n\r\n";
const unasked =
  "undici closes the connection at a 100 Continue that no request asked for; no known Git server sends one.";
const switched = "The request asked for no other protocol; curl reads on as if this were an answer.";

export const statusCases = [
  ...rows("reset", { "status 100 unasked, then 200": after(goOn) }, unasked),
  ...rows("reset", {
    "status 100, then 404": `${goOn}${http("404 Not Found", []).toString()}`,
    "status 100 and the end": goOn,
  }),
  ...rows("ok", {
    ...each("299 X", "201 Created", "202 Accepted", "203 Non-Authoritative Information", "226 IM Used"),
    "status 103 with a link, then 200": after("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
    "status 206": as("206 Partial Content", "Content-Range: bytes 0-9/10"),
  }),
  ...rows("not_http", { "status 101": under(["HTTP/1.1 101 X", smartType], good) }, switched),
  ...rows("not_http", { "status 099": under(["HTTP/1.1 099 X", smartType], good) }),
  ...rows("http_status", {
    ...each("300 Multiple Choices", "400 Bad Request", "500 Internal Server Error", "503 X", "999 X"),
    "status 304": under(["HTTP/1.1 304 Not Modified", smartType]),
    "status 403 with an advertisement": as("403 Forbidden"),
  }),
  ...rows("auth", { "status 401": as("401 Unauthorized", challenge) }),
  ...rows("rate_limited", {
    "status 429": as("429 Too Many Requests", "Retry-After: 1"),
    "status 503 with Retry-After": as("503 Service Unavailable", "Retry-After: 1"),
  }),
  ...rows("captive_portal", { "status 511": as("511 Network Authentication Required") }),
];
