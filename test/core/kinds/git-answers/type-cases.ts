import { headId } from "../../../support/advertisement.ts";
import { good, http, otherId, plain, rows, smart, smartType } from "../../../support/raw-answer.ts";

const type = smartType.slice("Content-Type: ".length);
const ref = `${headId}\trefs/heads/main\n`;
const wide = "ab".repeat(32);
const noRefs =
  "Git takes any text without a line feed for a repository without refs, even an empty answer or a login page.";
const digits =
  "Git does not check the digits in a dumb server's answer; without object ids, it is not a repository.";

/** Cases about the media type of an advertisement, and about dumb servers. */
export const typeCases = [
  ...rows("ok", {
    "media type: as it should be": smart(),
    "media type: with a charset": http("200 OK", [`${smartType}; charset=utf-8`], good),
    "media type: in upper case": http("200 OK", [smartType.toUpperCase()], good),
    "media type: with blanks inside": http("200 OK", [`Content-Type: ${type.replace("/", " / ")}`], good),
    "media type: the last of two": http("200 OK", ["Content-Type: text/html", smartType], good),
    "dumb: one ref": plain(ref),
    "dumb: without a media type": http("200 OK", [], ref),
    "dumb: SHA-256": plain(`${wide}\trefs/heads/main\n`),
    "dumb: upper-case digits": plain(ref.toUpperCase()),
    "dumb: a last line without its end": plain(`${ref}${otherId}\trefs/heads/o`),
  }),
  ...rows("not_git", {
    "media type: none": http("200 OK", [], good),
    "media type: the first of two": http("200 OK", [smartType, "Content-Type: text/html"], good),
    "media type: of plain text": plain(good),
    "media type: of another service": http("200 OK", [smartType.replace("upload", "receive")], good),
    "dumb: a page": plain("<!doctype html>\n<title>Sign in</title>\n", "text/html"),
    "dumb: an empty line after the refs": plain(`${ref}\n`),
    "dumb: 39 digits": plain(ref.slice(1)),
    "dumb: SHA-1 before SHA-256": plain(`${ref}${wide}\trefs/heads/b\n`),
  }),
  ...rows("not_http", { "media type: folded": http("200 OK", [`Content-Type:\r\n ${type}`], good) }),
  ...rows("not_git", { "dumb: one line without end": plain(ref.trim()), "dumb: empty": plain("") }, noRefs),
  ...rows("not_git", { "dumb: letters for digits": plain(`${"x".repeat(40)}\trefs/heads/main\n`) }, digits),
];
