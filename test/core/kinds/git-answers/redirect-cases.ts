import { type Answering, http, type RawRequest, rows, smart } from "../../../support/raw-answer.ts";

/** A redirect with `Connection: close`, so that no client reuses the connection. */
function redirect(status: string, ...headers: readonly string[]): Buffer {
  return http(status, [...headers, "Connection: close"]);
}

const tail = "info/refs?service=git-upload-pack";

/** Redirects the first request to `location`, and answers the next ones with `end`, by default a good answer. */
function to(
  location: (request: RawRequest) => string,
  status = "302 Found",
  end: string | Buffer = smart(),
): Answering {
  return (request) =>
    request.path === `/${tail}` ? redirect(status, `Location: ${location(request)}`) : end;
}

/** Redirects `length` times before a good answer. The path contains the number of the step. */
function chain(length: number): Answering {
  return ({ path, here }) => {
    const step = path === `/${tail}` ? 0 : Number(/^\/(\d+)\//.exec(path)?.[1] ?? length);
    return step >= length ? smart() : redirect("302 Found", `Location: ${here}/${step + 1}/${tail}`);
  };
}

const moved = ({ here }: RawRequest): string => `${here}/new/${tail}`;
const statuses = [300, 301, 302, 303, 304, 305, 307, 308, 399];
const login = http("200 OK", ["Content-Type: text/html"], "<p>Sign in.</p>\n");
const credentials = "A feed is public, so a probe never passes a server's password on to another server.";
const encodedDots =
  "URL parsers read %2E%2E as two dots (WHATWG URL), as most servers do; curl sends it unchanged, and this server tells them apart.";

/** Git follows a redirect only if the final URL has the same file name and query. */
export const redirectCases = [
  ...rows("ok", {
    ...Object.fromEntries(statuses.map((status) => [`redirect ${status}`, to(moved, `${status} X`)])),
    "redirect: to another origin": to(({ elsewhere }) => `${elsewhere}/new/${tail}`),
    "redirect: to a path": to(({ here }) => `${new URL(here).pathname}/new/${tail}`),
    "redirect: to a longer file name": to(({ here }) => `${here}/new/x${tail}`),
    "redirect: with an empty fragment": to(({ here }) => `${here}/new/${tail}#`),
    "redirect: a fragment before the path of the refs": to(({ here }) => `${here}/new#/${tail}`),
    "redirect: a backslash in the path": to(({ here }) => String.raw`${here}/a\b/${tail}`),
    "redirect: one slash after the scheme": to(({ here }) => `${here.replace("//", "/")}/new/${tail}`),
    "redirect: a blank in the path": to(({ here }) => `${here}/ne w/${tail}`),
    "redirect: a hexadecimal IP": to(({ here }) => `${here.replace("127.0.0.1", "0x7f000001")}/new/${tail}`),
    "redirect: with a long body": ({ path, here }) =>
      path === `/${tail}`
        ? http("302 Found", [`Location: ${here}/new/${tail}`], "x".repeat(100_000))
        : smart(),
    "redirect: twenty times": chain(20),
  }),
  ...rows("redirect", {
    "redirect 302 without a location": redirect("302 Found"),
    "redirect: to a page": to(({ here }) => `${here}/login`),
    "redirect: without the query": to(({ here }) => `${here}/new/info/refs`),
    "redirect: with more in the query": to(({ here }) => `${here}/new/${tail}&more=1`),
    "redirect: with a fragment": to(({ here }) => `${here}/new/${tail}#top`),
    "redirect: backslashes after the scheme": to(({ here }) => `${here.replace("//", "\\\\")}/new/${tail}`),
    "redirect: to an invalid URL": to(() => "http://"),
    "redirect: to a file of the machine": to(() => `file:///etc/${tail}`),
    "redirect: to itself": ({ here }) => redirect("302 Found", `Location: ${here}/${tail}`),
    "redirect: twenty-one times": chain(21),
  }),
  ...rows("refused", { "redirect: to a refused port": to(() => `http://127.0.0.1:2/${tail}`) }),
  ...rows(
    "redirect",
    { "redirect: with credentials": to(({ here }) => `${here.replace("//", "//a:b@")}/new/${tail}`) },
    credentials,
  ),
  ...rows("redirect", { "redirect: %2E": to(({ here }) => `${here}/a/%2E%2E/${tail}`) }, encodedDots),
  ...rows("http_status", { "redirect: to an error": to(moved, undefined, http("404 Not Found", [])) }),
  ...rows("not_git", {
    "redirect: to a login page": to(({ here }) => `${here}/login`, undefined, login),
  }),
];
