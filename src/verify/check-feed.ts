import { contentOf } from "../base/files/site-file.ts";
import { type FeedNames, jsonText, networkRoot, placesOf } from "../contract/contract.ts";
import { type NetworkSystem, renderNetwork } from "../contract/network.ts";
import { quote } from "../base/text/quote.ts";
import { casesFor, type VerifyCase } from "./cases.ts";
import { type CaseResult, checkAnswer, type Deployment } from "./check-answer.ts";
import { type Parsed, parseSystem, parseSystemList } from "./feed-documents.ts";
import type { Send } from "./requests.ts";

/** How many things were checked, and how many are known. */
export interface Coverage {
  readonly checked: number;
  readonly of: number;
}

/** How many documents are compared. */
const maxDocuments = 250;
const listPath = `/${networkRoot}/`;

/** Returns the text that a document must have, by its path. */
type Texts = ReadonlyMap<string, () => Parsed<string>>;

/**
 * Checks the cases of the table for the first target, and compares every document with that of its system. The names
 * come from `configured`, or else from the deployment.
 */
export async function checkFeed(
  deployment: Deployment,
  configured: FeedNames | undefined,
  send: Send,
): Promise<{ readonly cases: readonly CaseResult[]; readonly documents: Coverage }> {
  const checkAll = async (cases: readonly VerifyCase[], texts: Texts): Promise<CaseResult[]> => {
    const results = cases.map(async (one) => {
      const reply = await send(one);
      return reply === undefined ? [] : [checkAnswer(one, reply, expectedText(one, texts), deployment)];
    });
    return (await Promise.all(results)).flat();
  };

  const listed = await readList(configured, send);
  const systems = "value" in listed ? listed.value : [];
  const listText = "value" in listed ? { value: jsonText({ systems }) } : listed;
  const list: Texts = new Map([[listPath, () => listText]]);
  const cases: CaseResult[] = [];
  const documents = { checked: 1, of: 1 + systems.length };
  let table: CaseResult[] | undefined;
  for (const name of systems) {
    if (documents.checked >= maxDocuments) break;
    const path = `${listPath}${name}/`;
    const one = documentCase(path, "A system is a document.");
    const reply = await send(one);
    if (reply === undefined) break;
    const system = parseSystem(reply, name);
    const texts: Texts = new Map([...textsOf(path, system), ...list]);
    cases.push(checkAnswer(one, reply, expectedText(one, texts), deployment));
    documents.checked += 1;
    if ("problem" in system) continue;

    const given = configured?.find((other) => other.system === name);
    if (given !== undefined) cases.push(compareNames(path, given, system.value));
    table ??= await checkTable(systems, system.value, (named) => checkAll(named, texts));
    const inner = [...texts.keys()].filter((document) => document !== path && document !== listPath);
    const chosen = inner.slice(0, maxDocuments - documents.checked);
    const agrees = "The document agrees with that of its system.";
    cases.push(
      ...(await checkAll(
        chosen.map((document) => documentCase(document, agrees)),
        texts,
      )),
    );
    documents.of += inner.length;
    documents.checked += chosen.length;
  }
  table ??= await checkAll(casesFor({ place: [], known: new Set(systems) }), list);
  return { cases: [...table, ...cases], documents };
}

async function readList(configured: FeedNames | undefined, send: Send): Promise<Parsed<readonly string[]>> {
  if (configured !== undefined) return { value: configured.map(({ system }) => system) };
  const reply = await send({ method: "GET", path: listPath });
  return reply === undefined ? unread : parseSystemList(reply);
}

/** Checks the table for the first target of a system. Returns undefined if the system has no target. */
async function checkTable(
  systems: readonly string[],
  { system, projects }: NetworkSystem,
  checkAll: (cases: readonly VerifyCase[]) => Promise<CaseResult[]>,
): Promise<CaseResult[] | undefined> {
  const first = projects.find(({ targets }) => targets.length > 0);
  if (first === undefined) return undefined;
  const targets = first.targets.map(({ target }) => target);
  const known = new Set([...systems, ...projects.map(({ project }) => project), ...targets]);
  return checkAll(casesFor({ place: [system, first.project, ...targets.slice(0, 1)], known }));
}

function documentCase(path: string, rule: string): VerifyCase {
  return { method: "GET", path, expect: { document: path }, rule };
}

/** Returns the texts of a system's documents, or for its path why they are unknown. */
function textsOf(path: string, system: Parsed<NetworkSystem>): Texts {
  if ("problem" in system) return new Map([[path, () => system]]);
  const files = renderNetwork({ systems: [system.value] });
  return new Map(
    files.map((file) => [`/${file.path.replace(/index\.json$/, "")}`, () => ({ value: contentOf(file) })]),
  );
}

const unread = { problem: "no document" };

function expectedText({ expect }: VerifyCase, texts: Texts): Parsed<string> {
  return (typeof expect === "object" ? texts.get(expect.document)?.() : undefined) ?? unread;
}

/** Compares the projects and targets of a system with those of a configuration. */
function compareNames(path: string, given: FeedNames[number], system: FeedNames[number]): CaseResult {
  const placesIn = (one: FeedNames[number]): string[] => placesOf([one]).map(({ place }) => place);
  const [wanted, found] = [placesIn(given), placesIn(system)];
  const index = wanted.findIndex((place, number) => place !== found[number]);
  const at = index < 0 ? wanted.length : index;
  const shown = (place = "nothing more"): string => quote(place);
  return {
    method: "GET",
    path,
    rule: "A system has the projects and targets of mirrors.json.",
    expected: shown(wanted[at]),
    actual: shown(found[at]),
    ok: wanted[at] === found[at],
  };
}
