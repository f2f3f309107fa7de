import { headId } from "../../support/advertisement.ts";
import { capabilities, headLine, lines, mainLine, otherId, rows } from "../../support/raw-answer.ts";

const zero = "0".repeat(40);
const wide = "ab".repeat(32);
const wideCapabilities = capabilities.replace("sha1", "sha256");
const dummy = `${zero} capabilities^{}\0${capabilities}\n`;

/** A first line with these capabilities. */
function withCapabilities(text: string): string {
  return lines(`${headId} HEAD\0${text}\n`, mainLine);
}

/** A HEAD, and a ref of this name. */
function named(name: string): string {
  return lines(headLine, `${otherId} ${name}\n`);
}

/** The refs of an advertisement. */
export const refCases = rows(
  ["refs: none at all, without capabilities", "ok", lines()],
  ["refs: none, with capabilities", "ok", lines(dummy)],
  ["refs: none, and then one", "not_git", lines(dummy, mainLine)],
  ["refs: none, with another object id", "not_git", lines(dummy.replace(zero, headId))],
  ["refs: none, after HEAD", "not_git", lines(headLine, dummy)],
  ["refs: none, of a shallow repository", "ok", lines(dummy, `shallow ${headId}\n`)],
  ["refs: no HEAD", "ok", lines(`${headId} refs/heads/main\0${capabilities}\n`)],
  ["refs: HEAD alone", "ok", lines(headLine)],
  ["refs: HEAD last", "ok", lines(`${otherId} refs/heads/a\0${capabilities}\n`, `${headId} HEAD\n`)],
  ["refs: HEAD twice", "ok", lines(headLine, `${otherId} HEAD\n`, mainLine)],
  ["refs: a branch twice", "ok", lines(headLine, mainLine, mainLine)],
  ["refs: HEAD without an object", "ok", lines(headLine.replace(headId, zero))],
  ["refs: all without an object", "ok", lines(headLine.replace(headId, zero), `${zero} refs/heads/main\n`)],
  ["refs: a peeled tag", "ok", lines(headLine, `${otherId} refs/tags/a\n`, `${headId} refs/tags/a^{}\n`)],
  ["refs: a peeled tag alone", "ok", lines(headLine, `${headId} refs/tags/a^{}\n`)],
  ["refs: what another repository has", "ok", lines(headLine, `${otherId} .have\n`)],
  ["refs: of a shallow repository", "ok", lines(headLine, mainLine, `shallow ${otherId}\n`)],
  ["refs: shallow twice", "ok", lines(headLine, `shallow ${otherId}\n`, `shallow ${headId}\n`)],
  ["refs: shallow first", "ok", lines(`shallow ${otherId}\n`)],
  ["refs: after shallow", "not_git", lines(headLine, `shallow ${otherId}\n`, mainLine)],
  ["refs: shallow without an object id", "not_git", lines(headLine, "shallow none\n")],
  ["refs: shallow with half an object id", "not_git", lines(headLine, `shallow ${otherId.slice(20)}\n`)],
  ["refs: shallow with more than an object id", "ok", lines(headLine, `shallow ${otherId}abc\n`)],
  ["refs: unshallow", "not_git", lines(headLine, `unshallow ${otherId}\n`)],

  ["name: with a blank", "ok", named("refs/heads/a b")],
  ["name: in UTF-8", "ok", named("refs/heads/\u00e4\u65e5")],
  ["name: with a tab", "ok", named("refs/heads/a\tb")],
  ["name: with a carriage return", "ok", named("refs/heads/a\r")],
  ["name: with a line feed", "not_git", named("refs/heads/a\nb")],
  ["name: with a line feed at its end", "ok", named("refs/heads/a\n")],
  ["name: none", "ok", named("")],
  ["name: a backslash and dots", "ok", named("refs/heads/..\\..")],
  ["name: with an escape", "ok", named("refs/heads/\u001b[31m")],
  ["name: of no folder", "ok", named("FETCH_HEAD")],
  ["name: head in lower case", "ok", lines(`${headId} head\0${capabilities}\n`)],
  ["name: HEAD with a carriage return", "ok", lines(`${headId} HEAD\r\0${capabilities}\n`)],
  ["name: of 10,000 letters", "ok", named(`refs/heads/${"a".repeat(10_000)}`)],
  ["name: of a pull request", "ok", named("refs/pull/1/head")],
  ["name: with a caret", "ok", named("refs/heads/a^{}b")],

  ["line: without its line feed", "ok", lines(headLine.trimEnd(), mainLine.trimEnd())],
  ["line: with CRLF", "ok", lines(headLine.replace("\n", "\r\n"), mainLine)],
  ["line: without a NUL", "ok", lines(`${headId} HEAD\n`, mainLine)],
  ["line: a NUL and no capabilities", "ok", lines(`${headId} HEAD\0\n`, mainLine)],
  ["line: a NUL and a blank", "ok", lines(`${headId} HEAD\0 \n`, mainLine)],
  ["line: two NULs", "ok", lines(`${headId} HEAD\0a\0b\n`, mainLine)],
  ["line: a NUL in the second", "ok", lines(headLine, `${headId} refs/heads/main\0late\n`)],
  ["line: a NUL before the name", "not_git", lines(`${headId}\0 HEAD\n`)],
  ["line: a NUL after the blank", "ok", lines(`${headId} \0HEAD\n`)],
  ["line: a NUL first", "not_git", lines(`\0${headId} HEAD\n`)],
  ["line: a NUL in the object id", "not_git", lines(`${headId.slice(0, 20)}\0${headId.slice(20)} HEAD\n`)],
  ["line: a tab for the blank", "not_git", lines(headLine.replace(" ", "\t"))],
  ["line: two blanks", "ok", lines(headLine.replace(" ", "  "), mainLine)],
  ["line: a blank first", "not_git", lines(` ${headLine}`)],
  ["line: a name without an object id", "not_git", lines(headLine, "refs/heads/main\n")],
  ["line: an object id without a name", "not_git", lines(headLine, `${headId}\n`)],
  ["line: a comment", "not_git", lines(headLine, "# comment\n")],

  ["object id: in upper case", "ok", lines(headLine.replace(headId, headId.toUpperCase()))],
  [
    "object id: in both cases",
    "ok",
    lines(
      headLine.replace(
        headId,
        headId.replace(/[a-f]/, (x) => x.toUpperCase()),
      ),
    ),
  ],
  ["object id: of 39 digits", "not_git", lines(headLine.slice(1))],
  ["object id: of 41 digits", "not_git", lines(`0${headLine}`)],
  ["object id: with another letter", "not_git", lines(headLine.replace(/^./, "g"))],
  ["object id: SHA-256", "ok", lines(`${wide} HEAD\0${wideCapabilities}\n`)],
  ["object id: SHA-256 that is not said", "not_git", lines(`${wide} HEAD\0ofs-delta\n`)],
  ["object id: SHA-256 without capabilities", "not_git", lines(`${wide} HEAD\n`)],
  ["object id: SHA-1 that calls itself SHA-256", "not_git", lines(`${headId} HEAD\0${wideCapabilities}\n`)],
  [
    "object id: SHA-256 of a repository without refs",
    "ok",
    lines(`${"0".repeat(64)} capabilities^{}\0${wideCapabilities}\n`),
  ],
  ["object id: SHA-1 of a hash that is not known", "ok", withCapabilities("object-format=sha3")],
  ["object id: the first of two hashes", "ok", withCapabilities("object-format=sha1 object-format=sha256")],
  ["object id: the hash after a tab", "ok", lines(`${wide} HEAD\0a\tobject-format=sha256\n`)],
  ["object id: the hash inside another word", "ok", withCapabilities("x-object-format=sha256")],

  [
    "capabilities: several symbolic refs",
    "ok",
    withCapabilities("symref=HEAD:refs/heads/main symref=refs/remotes/a/HEAD:refs/heads/main"),
  ],
  ["capabilities: a symbolic ref without a target", "ok", withCapabilities("symref=HEAD")],
  ["capabilities: a symbolic ref of itself", "ok", withCapabilities("symref=HEAD:HEAD")],
  ["capabilities: a symbolic ref with an invalid name", "ok", withCapabilities("symref=HEAD:refs/heads/..")],
  [
    "capabilities: a symbolic ref of a branch that is missing",
    "ok",
    withCapabilities("symref=HEAD:refs/heads/gone"),
  ],
  ["capabilities: an empty symbolic ref", "ok", withCapabilities("symref=")],
  ["capabilities: an agent with odd letters", "ok", withCapabilities("agent=\u00e4<b>%00\u001b[1m")],
  ["capabilities: an agent without a name", "ok", withCapabilities("agent")],
  ["capabilities: 5,000 letters", "ok", withCapabilities("a".repeat(5000))],
  ["capabilities: unknown ones", "ok", withCapabilities("teleport time-travel=1")],
  ["capabilities: an error among them", "ok", withCapabilities("ERR no")],
);
