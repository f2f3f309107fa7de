import { headId } from "../../../support/advertisement.ts";
import { capabilities, headLine, lines, mainLine, otherId, rows } from "../../../support/raw-answer.ts";

const zero = "0".repeat(40);
const wide = "ab".repeat(32);
const wideCapabilities = capabilities.replace("sha1", "sha256");
const dummy = `${zero} capabilities^{}\0${capabilities}\n`;

function withCapabilities(text: string): string {
  return lines(`${headId} HEAD\0${text}\n`, mainLine);
}

/** An advertisement with a HEAD and a ref of this name. */
function named(name: string): string {
  return lines(headLine, `${otherId} ${name}\n`);
}

export const refCases = [
  ...rows("ok", {
    "refs: none at all, without capabilities": lines(),
    "refs: none, with capabilities": lines(dummy),
    "refs: no HEAD": lines(`${headId} refs/heads/main\0${capabilities}\n`),
    "refs: HEAD alone": lines(headLine),
    "refs: HEAD without an object": lines(headLine.replace(headId, zero)),
    "refs: a peeled tag": lines(headLine, `${otherId} refs/tags/a\n`, `${headId} refs/tags/a^{}\n`),
    "refs: of a shallow repository": lines(headLine, mainLine, `shallow ${otherId}\n`),
    "refs: shallow first": lines(`shallow ${otherId}\n`),
    "name: with a blank": named("refs/heads/a b"),
    "name: in UTF-8": named("refs/heads/\u00e4\u65e5"),
    "name: none": named(""),
    "name: HEAD with a carriage return": lines(`${headId} HEAD\r\0${capabilities}\n`),
    "name: of 10,000 letters": named(`refs/heads/${"a".repeat(10_000)}`),
    "line: without its line feed": lines(headLine.trimEnd(), mainLine.trimEnd()),
    "line: without a NUL": lines(`${headId} HEAD\n`, mainLine),
    "line: a NUL in the second": lines(headLine, `${headId} refs/heads/main\0late\n`),
    "object id: in upper case": lines(headLine.replace(headId, headId.toUpperCase())),
    "object id: SHA-256": lines(`${wide} HEAD\0${wideCapabilities}\n`),
    "object id: SHA-256 without refs": lines(`${"0".repeat(64)} capabilities^{}\0${wideCapabilities}\n`),
    "object id: SHA-1 of a hash that is not known": withCapabilities("object-format=sha3"),
    "object id: the first of two hashes": withCapabilities("object-format=sha1 object-format=sha256"),
    "capabilities: an agent with odd letters": withCapabilities("agent=\u00e4<b>%00\u001b[1m"),
    "capabilities: 5,000 letters": withCapabilities("a".repeat(5000)),
  }),
  ...rows("not_git", {
    "refs: none, and then one": lines(dummy, mainLine),
    "refs: none, after HEAD": lines(headLine, dummy),
    "refs: after shallow": lines(headLine, `shallow ${otherId}\n`, mainLine),
    "name: with a line feed": named("refs/heads/a\nb"),
    "line: a NUL before the name": lines(`${headId}\0 HEAD\n`),
    "line: a name without an object id": lines(headLine, "refs/heads/main\n"),
    "line: an object id without a name": lines(headLine, `${headId}\n`),
    "object id: of 39 digits": lines(headLine.slice(1)),
    "object id: SHA-256 that is not said": lines(`${wide} HEAD\0ofs-delta\n`),
    "object id: SHA-1 that calls itself SHA-256": lines(`${headId} HEAD\0${wideCapabilities}\n`),
  }),
];
