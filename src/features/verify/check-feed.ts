import * as z from "../../core/base/zod.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import { nameLength, namePattern } from "../../core/base/text/name.ts";
import { printable, quote } from "../../core/base/text/quote.ts";
import { documentPath, jsonText, networkRoot, placesOf } from "../../core/contract/contract.ts";
import {
  nodeSchema,
  projectSchema,
  renderNetwork,
  systemListSchema,
  systemSchema,
  targetSchema,
} from "../../core/contract/network.ts";
import { casesFor, type VerifyCase } from "./cases.ts";
import {
  type CaseResult,
  checkAnswer,
  type Deployment,
  describeReply,
  type Documents,
  isOk,
} from "./check-answer.ts";
import type { Send, VerifyReply } from "./requests.ts";

const maxDocuments = 250;

/**
 * Runs the table of cases for the first target, and checks that the documents of a system's projects and targets agree
 * with the system's own.
 */
export async function checkFeed(deployment: Deployment, send: Send) {
  const checkAll = (cases: readonly VerifyCase[], wanted: Documents): Promise<CaseResult[]> =>
    Promise.all(cases.map(async (one) => checkAnswer(one, await send(one), wanted, deployment)));
  const documents = { checked: 1, of: 1 };
  const listCase = documentCase(documentPath(networkRoot), "The list of systems is served as JSON.");
  const listed = parseReply(systemList, await send(listCase));
  if ("problem" in listed) return { cases: [unreadable(listCase, listed.problem)], documents };
  const systems = [...new Set(listed.value.systems)];
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
    const system = parseReply(namedSystem.extend({ system: z.literal(name) }), reply);
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

/** Returns the schema of a list. It stops at the first invalid item, because a hostile list may have millions of them. */
function listOf<Item>(item: z.ZodType<Item>) {
  return z.array(z.unknown()).transform((items, { issues }): Item[] => {
    const parsed: Item[] = [];
    for (const [index, input] of items.entries()) {
      const { success, data, error } = item.safeParse(input);
      if (!success) {
        const [issue] = error.issues;
        const path = [index, ...(issue?.path ?? [])];
        issues.push({ code: "custom", message: issue?.message, path, input });
        return z.NEVER;
      }
      parsed.push(data);
    }
    return parsed;
  });
}

const anyName = z.string().max(nameLength, { abort: true }).regex(new RegExp(namePattern));
const node = nodeSchema.refine(({ url }) => URL.canParse(url), { path: ["url"], error: "Not a URL" });
const namedTarget = targetSchema
  .extend({ target: anyName, network: listOf(node) })
  .transform(({ target, network }) => ({ target, nodes: network }));
const namedProject = projectSchema.extend({ project: anyName, targets: listOf(namedTarget) });
export const namedSystem = systemSchema.extend({ projects: listOf(namedProject) });
export const systemList = systemListSchema.extend({
  systems: listOf(anyName).refine((names) => names.length > 0, "Empty"),
});

/** Returns a document's value, or a readable reason why there is none. */
export function parseReply<Value>(
  schema: z.ZodType<Value>,
  reply: VerifyReply,
): { readonly value: Value } | { readonly problem: string } {
  if (!isOk(reply)) return { problem: describeReply(reply) };
  const text = reply.body.toString();
  const document = tryParseJson(text);
  if (document === undefined) return { problem: `not JSON: ${quote(text)}` };
  const { success, data, error } = schema.safeParse(document);
  if (success) return { value: data };
  const [issue] = error.issues;
  return { problem: printable(`${issue?.path.join(".")}: ${issue?.message}`, 300) };
}
