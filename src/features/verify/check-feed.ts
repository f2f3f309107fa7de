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
import type { Capabilities } from "../hosts/host.ts";
import { casesFor, type VerifyCase } from "./cases.ts";
import { type CaseResult, checkAnswer, describeReply, type Documents } from "./check-answer.ts";
import { isOk, type Send, type VerifyReply } from "./requests.ts";

const maxDocuments = 250;

/**
 * Runs the table of cases for the first target, and checks that the documents of a system's projects and targets agree
 * with the system's own.
 */
export async function checkFeed(capabilities: Capabilities, send: Send) {
  const cases: CaseResult[] = [];
  const documents = { checked: 0, of: 1 };
  const checkAll = (asked: readonly VerifyCase[], wanted: Documents): Promise<CaseResult[]> =>
    Promise.all(asked.map(async (one) => checkAnswer(one, await send(one), wanted, capabilities)));
  const read = async <Value>(schema: z.ZodType<Value>, asked: VerifyCase) => {
    documents.checked += 1;
    const reply = await send(asked);
    const parsed = parseReply(schema, reply);
    if ("value" in parsed) return { reply, value: parsed.value };
    const expected = "a document that follows the contract";
    cases.push({ ...asked, expected, actual: parsed.problem, ok: false });
    return undefined;
  };
  const listPath = documentPath(networkRoot);
  const listed = await read(systemList, documentCase(listPath, "The list of systems is served as JSON."));
  if (listed === undefined) return { cases, documents };
  const systems = [...new Set(listed.value.systems)];
  const list = { path: listPath, content: jsonText({ systems }) };
  documents.of += systems.length;
  let table: CaseResult[] | undefined;
  for (const name of systems) {
    if (documents.checked >= maxDocuments) break;
    const path = documentPath(networkRoot, name);
    const asked = documentCase(path, "A system is served as JSON.");
    const system = await read(namedSystem.extend({ system: z.literal(name) }), asked);
    if (system === undefined) continue;
    const files = [...renderNetwork({ systems: [system.value] }), list];
    const wanted: Documents = new Map(files.map((file) => [file.path, file]));
    cases.push(checkAnswer(asked, system.reply, wanted, capabilities));
    const places = placesOf([system.value]).map(({ place }) => place);
    const target = places.find((place) => place.split("/").length === 3);
    if (target !== undefined) table ??= await checkAll(casesFor(target, [...systems, ...places]), wanted);
    const inner = [...wanted.keys()].filter((other) => other !== path && other !== listPath);
    const chosen = inner.slice(0, maxDocuments - documents.checked);
    const agrees = chosen.map((one) => documentCase(one, "This JSON agrees with the system's JSON."));
    cases.push(...(await checkAll(agrees, wanted)));
    documents.of += inner.length;
    documents.checked += chosen.length;
  }
  table ??= await checkAll(casesFor("", systems), new Map([[listPath, list]]));
  return { cases: [...table, ...cases], documents };
}

function documentCase(file: string, rule: string): VerifyCase {
  return { method: "GET", path: `/${file.slice(0, -"index.json".length)}`, rule };
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
