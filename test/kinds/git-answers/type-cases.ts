import { headId } from "../../support/advertisement.ts";
import { good, http, otherId, plain, rows, smart, smartType } from "../../support/raw-answer.ts";

const type = smartType.slice("Content-Type: ".length);
const ref = `${headId}\trefs/heads/main\n`;
const wide = "ab".repeat(32);
const noRefs =
  "Git takes every text without a line feed for a repository without refs; an empty or a login page is none.";
const digits =
  "Git does not check the digits of a server without Git; an answer without object ids is not a repository.";

/** The media type of a good advertisement, and those of servers without Git. */
export const typeCases = rows(
  ["media type: as it should be", "ok", smart()],
  ["media type: with a charset", "ok", http("200 OK", [`${smartType}; charset=utf-8`], good)],
  ["media type: with a quoted parameter", "ok", http("200 OK", [`${smartType}; a=";"`], good)],
  ["media type: with an empty parameter", "ok", http("200 OK", [`${smartType};`], good)],
  ["media type: in upper case", "ok", http("200 OK", [smartType.toUpperCase()], good)],
  [
    "media type: with blanks inside",
    "ok",
    http("200 OK", [`Content-Type: ${type.replace("/", " / ")}`], good),
  ],
  ["media type: with blanks around", "ok", http("200 OK", [`Content-Type: \t ${type} \t`], good)],
  ["media type: none", "not_git", http("200 OK", [], good)],
  ["media type: empty", "not_git", http("200 OK", ["Content-Type:"], good)],
  ["media type: the last of two", "ok", http("200 OK", ["Content-Type: text/html", smartType], good)],
  ["media type: the first of two", "not_git", http("200 OK", [smartType, "Content-Type: text/html"], good)],
  [
    "media type: of another service",
    "not_git",
    http("200 OK", [smartType.replace("upload", "receive")], good),
  ],
  [
    "media type: of a result",
    "not_git",
    http("200 OK", [smartType.replace("advertisement", "result")], good),
  ],
  ["media type: plain text", "not_git", plain(good)],
  ["media type: a list", "not_git", http("200 OK", [`${smartType}, text/html`], good)],
  ["media type: one letter more", "not_git", http("200 OK", [`${smartType}s`], good)],
  ["media type: folded", "not_http", http("200 OK", [`Content-Type:\r\n ${type}`], good)],

  ["dumb: one ref", "ok", plain(ref)],
  ["dumb: without a media type", "ok", http("200 OK", [], ref)],
  ["dumb: as HTML", "ok", plain(ref, "text/html")],
  [
    "dumb: several refs and a peeled tag",
    "ok",
    plain(`${ref}${otherId}\trefs/tags/a\n${headId}\trefs/tags/a^{}\n`),
  ],
  ["dumb: SHA-256", "ok", plain(`${wide}\trefs/heads/main\n`)],
  ["dumb: upper-case digits", "ok", plain(ref.toUpperCase())],
  ["dumb: lines that end in CRLF", "ok", plain(ref.replace("\n", "\r\n"))],
  ["dumb: a last line without its end", "ok", plain(`${ref}${otherId}\trefs/heads/o`)],
  ["dumb: one line without its end", "not_git", plain(ref.trim()), noRefs],
  ["dumb: an empty text", "not_git", plain(""), noRefs],
  [
    "dumb: a page of one line",
    "not_git",
    plain("<!doctype html><title>Sign in</title>", "text/html"),
    noRefs,
  ],
  ["dumb: a page", "not_git", plain("<!doctype html>\n<title>Sign in</title>\n", "text/html")],
  ["dumb: JSON", "not_git", plain('{"message":"fine"}\n', "application/json")],
  ["dumb: only a line feed", "not_git", plain("\n")],
  ["dumb: an empty line after the refs", "not_git", plain(`${ref}\n`)],
  ["dumb: a blank for the tab", "not_git", plain(ref.replace("\t", " "))],
  ["dumb: two tabs", "not_git", plain(ref.replace("refs/", "\t"))],
  ["dumb: 39 digits", "not_git", plain(ref.slice(1))],
  ["dumb: letters for digits", "not_git", plain(`${"x".repeat(40)}\trefs/heads/main\n`), digits],
  ["dumb: a ref without a name", "ok", plain(`${headId}\t\n`)],
  ["dumb: SHA-1 before SHA-256", "not_git", plain(`${ref}${wide}\trefs/heads/b\n`)],
);
