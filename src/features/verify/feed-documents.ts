import * as z from "zod";
import {
  nodeSchema,
  projectSchema,
  systemListSchema,
  systemSchema,
  targetSchema,
} from "../../core/contract/network.ts";
import { nameLength, namePattern } from "../../core/base/text/name.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import { printable, quote } from "../../core/base/text/quote.ts";
import { describeReply } from "./check-answer.ts";
import type { VerifyReply } from "./requests.ts";

/** A value, or a readable reason why there is none. */
export type Parsed<Value> = { readonly value: Value } | { readonly problem: string };

/** Returns the schema of a list. It stops at the first invalid item, so a hostile list can't cause thousands of problems. */
function listOf<Item>(item: z.ZodType<Item>) {
  return z.array(z.unknown()).transform((items, { issues }): Item[] => {
    const parsed: Item[] = [];
    for (const [index, one] of items.entries()) {
      const { success, data, error } = item.safeParse(one);
      if (!success) {
        const [issue] = error.issues;
        const path = [index, ...(issue?.path ?? [])];
        issues.push({ code: "custom", message: issue?.message, path, input: one });
        return z.NEVER;
      }
      parsed.push(data);
    }
    return parsed;
  });
}

const name = z.string().max(nameLength, { abort: true }).regex(new RegExp(namePattern));
const node = nodeSchema.refine(({ url }) => URL.canParse(url), { path: ["url"], error: "Not a URL" });
const target = targetSchema
  .extend({ target: name, network: listOf(node) })
  .transform(({ target, network }) => ({ target, nodes: network }));
const project = projectSchema.extend({ project: name, targets: listOf(target) });
const systemList = systemListSchema.extend({
  systems: listOf(name).refine(({ length }) => length > 0, "Empty"),
});

export function parseSystemList(reply: VerifyReply): Parsed<readonly string[]> {
  const parsed = parse(systemList, reply);
  return "problem" in parsed ? parsed : { value: [...new Set(parsed.value.systems)] };
}

/** Parses the document of the system `expected`. A document of another system is a problem. */
export function parseSystem(reply: VerifyReply, expected: string) {
  return parse(systemSchema.extend({ system: z.literal(expected), projects: listOf(project) }), reply);
}

function parse<Value>(schema: z.ZodType<Value>, reply: VerifyReply): Parsed<Value> {
  if (reply.kind === "none" || reply.status !== 200 || !reply.whole) return { problem: describeReply(reply) };
  const text = reply.body.toString();
  const document = tryParseJson(text);
  if (document === undefined) return { problem: `not JSON: ${quote(text)}` };
  const { success, data, error } = schema.safeParse(document);
  if (success) return { value: data };
  const [issue] = error.issues;
  return { problem: printable(`${issue?.path.join(".")}: ${issue?.message}`, 300) };
}
