import { documentPath, jsonText, networkRoot, placesOf } from "../../core/contract/contract.ts";
import { renderNetwork } from "../../core/contract/network.ts";
import { casesFor, type VerifyCase } from "./cases.ts";
import { type CaseResult, checkAnswer, type Deployment, type Documents } from "./check-answer.ts";
import { parseSystem, parseSystemList } from "./feed-documents.ts";
import type { Send } from "./requests.ts";

/** How many documents, pages or files were checked, and how many there are. */
export interface Coverage {
  readonly checked: number;
  readonly of: number;
}

const maxDocuments = 250;

/**
 * Runs the table of cases for the first target, and checks that the documents of a system's projects and targets agree
 * with the system's own.
 */
export async function checkFeed(
  deployment: Deployment,
  send: Send,
): Promise<{ readonly cases: readonly CaseResult[]; readonly documents: Coverage }> {
  const checkAll = (cases: readonly VerifyCase[], wanted: Documents): Promise<CaseResult[]> =>
    Promise.all(cases.map(async (one) => checkAnswer(one, await send(one), wanted, deployment)));
  const documents = { checked: 1, of: 1 };
  const listCase = documentCase(documentPath(networkRoot), "The list of systems is served as JSON.");
  const listed = parseSystemList(await send(listCase));
  if ("problem" in listed) return { cases: [unreadable(listCase, listed.problem)], documents };
  const systems = listed.value;
  const list = { path: documentPath(networkRoot), content: jsonText({ systems }) };
  documents.of += systems.length;
  const cases: CaseResult[] = [];
  let table: CaseResult[] | undefined;
  for (const name of systems) {
    if (documents.checked >= maxDocuments) break;
    documents.checked += 1;
    const file = documentPath(networkRoot, name);
    const one = documentCase(file, "A system is served as JSON.");
    const reply = await send(one);
    const system = parseSystem(reply, name);
    if ("problem" in system) {
      cases.push(unreadable(one, system.problem));
      continue;
    }
    const files = [...renderNetwork({ systems: [system.value] }), list];
    const wanted: Documents = new Map(files.map((one) => [one.path, one]));
    cases.push(checkAnswer(one, reply, wanted, deployment));
    const places = placesOf([system.value]).map(({ place }) => place);
    const target = places.find((place) => place.split("/").length === 3);
    if (target !== undefined) table ??= await checkAll(casesFor(target, [...systems, ...places]), wanted);
    const inner = [...wanted.keys()].filter((path) => path !== file && path !== list.path);
    const chosen = inner.slice(0, maxDocuments - documents.checked);
    const agrees = chosen.map((path) => documentCase(path, "This JSON agrees with the system's JSON."));
    cases.push(...(await checkAll(agrees, wanted)));
    documents.of += inner.length;
    documents.checked += chosen.length;
  }
  table ??= await checkAll(casesFor("", systems), new Map([[list.path, list]]));
  return { cases: [...table, ...cases], documents };
}

function documentCase(file: string, rule: string): VerifyCase {
  return { method: "GET", path: `/${file.slice(0, -"index.json".length)}`, rule };
}

function unreadable(asked: VerifyCase, actual: string): CaseResult {
  return { ...asked, expected: "a document that follows the contract", actual, ok: false };
}
