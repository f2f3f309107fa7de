import { contentOf } from "../../core/base/files/site-file.ts";
import { quote } from "../../core/base/text/quote.ts";
import {
  documentPath,
  type FeedNames,
  jsonText,
  networkRoot,
  placesOf,
} from "../../core/contract/contract.ts";
import { type NetworkSystem, renderNetwork } from "../../core/contract/network.ts";
import { casesFor, type VerifyCase } from "./cases.ts";
import { type CaseResult, checkAnswer, type Deployment, type Texts } from "./check-answer.ts";
import { type Parsed, parseSystem, parseSystemList } from "./feed-documents.ts";
import type { Send } from "./requests.ts";

/** How many documents, pages or files were checked, and how many there are. */
export interface Coverage {
  readonly checked: number;
  readonly of: number;
}

const maxDocuments = 250;

/**
 * Runs the table of cases for the first target, and checks that the documents of a system's projects and targets agree
 * with the system's own. The systems' names come from `configured` or, if that is undefined, from the deployment.
 */
export async function checkFeed(
  deployment: Deployment,
  configured: FeedNames | undefined,
  send: Send,
): Promise<{ readonly cases: readonly CaseResult[]; readonly documents: Coverage }> {
  const checkAll = async (cases: readonly VerifyCase[], texts: Texts): Promise<CaseResult[]> => {
    const results = cases.map(async (one) => {
      const reply = await send(one);
      return reply === undefined ? [] : [checkAnswer(one, reply, texts, deployment)];
    });
    return (await Promise.all(results)).flat();
  };
  const listed = await systemNames(configured, send);
  const systems = "value" in listed ? listed.value : [];
  const listText = "value" in listed ? { value: jsonText({ systems }) } : listed;
  const list: Texts = new Map([[documentPath(networkRoot), () => listText]]);
  const cases: CaseResult[] = [];
  const documents = { checked: 1, of: 1 + systems.length };
  let table: CaseResult[] | undefined;
  for (const name of systems) {
    if (documents.checked >= maxDocuments) break;
    const file = documentPath(networkRoot, name);
    const one = documentCase(file, "A system is served as JSON.");
    const reply = await send(one);
    if (reply === undefined) break;
    documents.checked += 1;
    const system = parseSystem(reply, name);
    const texts: Texts =
      "problem" in system ? new Map([[file, () => system]]) : new Map([...textsOf(system.value), ...list]);
    cases.push(checkAnswer(one, reply, texts, deployment));
    if ("problem" in system) continue;
    const places = placesOf([system.value]).map(({ place }) => place);
    const given = configured?.filter((other) => other.system === name);
    if (given !== undefined) cases.push(compareNames(one, given, places));
    const target = places.find((place) => place.split("/").length === 3);
    if (target !== undefined) table ??= await checkAll(casesFor(target, [...systems, ...places]), texts);
    const inner = [...texts.keys()].filter((path) => path !== file && !list.has(path));
    const chosen = inner.slice(0, maxDocuments - documents.checked);
    const agrees = chosen.map((path) => documentCase(path, "This JSON agrees with the system's JSON."));
    cases.push(...(await checkAll(agrees, texts)));
    documents.of += inner.length;
    documents.checked += chosen.length;
  }
  table ??= await checkAll(casesFor("", systems), list);
  return { cases: [...table, ...cases], documents };
}

async function systemNames(
  configured: FeedNames | undefined,
  send: Send,
): Promise<Parsed<readonly string[]>> {
  if (configured !== undefined) return { value: configured.map(({ system }) => system) };
  const reply = await send({ method: "GET", path: `/${networkRoot}/` });
  return reply === undefined ? { problem: "no document" } : parseSystemList(reply);
}

function documentCase(file: string, rule: string): VerifyCase {
  return { method: "GET", path: `/${file.slice(0, -"index.json".length)}`, rule };
}

function* textsOf(system: NetworkSystem): Generator<[path: string, text: () => Parsed<string>]> {
  for (const file of renderNetwork({ systems: [system] }))
    yield [file.path, () => ({ value: contentOf(file) })];
}

function compareNames(
  { method, path }: VerifyCase,
  configured: FeedNames,
  found: readonly string[],
): CaseResult {
  const wanted = placesOf(configured).map(({ place }) => place);
  const at = [...wanted, undefined].findIndex((place, number) => place !== found[number]);
  return {
    method,
    path,
    rule: "A system has the projects and targets in mirrors.json.",
    expected: quote(wanted[at] ?? "nothing more"),
    actual: quote(found[at] ?? "nothing more"),
    ok: at < 0,
  };
}
