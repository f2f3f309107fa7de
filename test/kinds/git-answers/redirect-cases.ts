import {
  type Answering,
  good,
  http,
  type RawRequest,
  rows,
  smart,
  smartType,
} from "../../support/raw-answer.ts";

/** A redirect. It closes its connection, as the server does, so that no client uses it again. */
function redirect(status: string, ...headers: readonly string[]): Buffer {
  return http(status, [...headers, "Connection: close"]);
}

const tail = "info/refs?service=git-upload-pack";

/** A redirect of the first request. Whatever is asked instead is good. */
function to(location: (request: RawRequest) => string, status = "302 Found"): Answering {
  return (request) =>
    request.path === `/${tail}` ? redirect(status, `Location: ${location(request)}`) : smart();
}

/** So many redirects, counted in the path. */
function chain(length: number): Answering {
  return ({ path, here }) => {
    const step = path === `/${tail}` ? 0 : Number(/^\/(\d+)\//.exec(path)?.[1] ?? length);
    return step >= length ? smart() : redirect("302 Found", `Location: ${here}/${step + 1}/${tail}`);
  };
}

const moved = ({ here }: RawRequest): string => `${here}/new/${tail}`;
const credentials = "A feed is public, and a probe hands no password of a server to another place.";

/** Redirects. Git takes one only if what comes in the end has the same file and query. */
export const redirectCases = rows(
  ["redirect 301", "ok", to(moved, "301 Moved Permanently")],
  ["redirect 302", "ok", to(moved)],
  ["redirect 303", "ok", to(moved, "303 See Other")],
  ["redirect 307", "ok", to(moved, "307 Temporary Redirect")],
  ["redirect 308", "ok", to(moved, "308 Permanent Redirect")],
  ["redirect 300 with a location", "ok", to(moved, "300 Multiple Choices")],
  ["redirect 304 with a location", "ok", to(moved, "304 Not Modified")],
  ["redirect 305 with a location", "ok", to(moved, "305 Use Proxy")],
  ["redirect 399 with a location", "ok", to(moved, "399 X")],
  ["redirect 302 without a location", "redirect", redirect("302 Found")],
  ["redirect 302 with an empty location", "redirect", redirect("302 Found", "Location:")],
  ["redirect 302 with an advertisement and no location", "redirect", http("302 Found", [smartType], good)],
  ["redirect: to another origin", "ok", to(({ elsewhere }) => `${elsewhere}/new/${tail}`)],
  [
    "redirect: to another origin without its scheme",
    "ok",
    to(({ elsewhere }) => `${elsewhere.slice(5)}/new/${tail}`),
  ],
  ["redirect: to a path", "ok", to(({ here }) => `${new URL(here).pathname}/new/${tail}`)],
  ["redirect: to a file in the same folder", "ok", to(() => `../new/${tail}`)],
  ["redirect: with dots in its path", "ok", to(({ here }) => `${here}/a/../b/./${tail}`)],
  ["redirect: to the query alone", "redirect", to(() => "?service=git-upload-pack")],
  ["redirect: to a page", "redirect", to(({ here }) => `${here}/login`)],
  ["redirect: without the query", "redirect", to(({ here }) => `${here}/new/info/refs`)],
  ["redirect: with more in the query", "redirect", to(({ here }) => `${here}/new/${tail}&more=1`)],
  [
    "redirect: with more before the query",
    "redirect",
    to(({ here }) => `${here}/new/info/refs?more=1&service=git-upload-pack`),
  ],
  ["redirect: to a longer file name", "ok", to(({ here }) => `${here}/new/x${tail}`)],
  ["redirect: with a fragment", "redirect", to(({ here }) => `${here}/new/${tail}#top`)],
  ["redirect: with letters beyond ASCII", "ok", to(({ here }) => `${here}/\u00e4/${tail}`)],
  ["redirect: with a blank", "ok", to(({ here }) => `${here}/a b/${tail}`)],
  ["redirect: with blanks around", "ok", to(({ here }) => `  ${here}/new/${tail}  `)],
  ["redirect: to an invalid URL", "redirect", to(() => "http://")],
  ["redirect: to ftp", "redirect", to(() => `ftp://127.0.0.1/${tail}`)],
  ["redirect: to a file of the machine", "redirect", to(() => `file:///etc/${tail}`)],
  ["redirect: to a refused port", "refused", to(() => `http://127.0.0.1:2/${tail}`)],
  [
    "redirect: with credentials",
    "redirect",
    to(({ here }) => `${here.replace("//", "//a:b@")}/new/${tail}`),
    credentials,
  ],
  [
    "redirect: to an error",
    "http_status",
    ({ path, here }) =>
      path === `/${tail}`
        ? redirect("302 Found", `Location: ${here}/new/${tail}`)
        : http("404 Not Found", []),
  ],
  [
    "redirect: to a login page",
    "not_git",
    ({ path, here }) =>
      path === `/${tail}`
        ? redirect("302 Found", `Location: ${here}/login`)
        : http("200 OK", ["Content-Type: text/html"], "<p>Sign in.</p>\n"),
  ],
  ["redirect: to itself", "redirect", ({ here }) => redirect("302 Found", `Location: ${here}/${tail}`)],
  [
    "redirect: to itself, with a cookie",
    "redirect",
    ({ here }) => redirect("302 Found", "Set-Cookie: a=b", `Location: ${here}/${tail}`),
  ],
  [
    "redirect: with a long body",
    "ok",
    ({ path, here }) =>
      path === `/${tail}`
        ? http("302 Found", [`Location: ${here}/new/${tail}`], "x".repeat(100_000))
        : smart(),
  ],
  [
    "redirect: two locations",
    "ok",
    ({ path, here }) =>
      path === `/${tail}`
        ? redirect("302 Found", `Location: ${here}/a/${tail}`, `Location: ${here}/b/${tail}`)
        : smart(),
  ],
  ["redirect: twice", "ok", chain(2)],
  ["redirect: twenty times", "ok", chain(20)],
  ["redirect: twenty-one times", "redirect", chain(21)],
);
