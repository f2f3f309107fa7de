import { inspect } from "node:util";
import * as z from "zod";
import {
  type NetworkSystem,
  nodeSchema,
  projectSchema,
  systemListSchema,
  systemSchema,
  targetSchema,
} from "../../core/contract/network.ts";
import { nameLength, namePattern } from "../../core/base/text/name.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import { printable, quote } from "../../core/base/text/quote.ts";
import type { VerifyReply } from "./requests.ts";

/** A value, or a readable reason why there is none. */
export type Parsed<Value> = { readonly value: Value } | { readonly problem: string };

// Lists are parsed one item at a time, up to the first problem, so a hostile list can't cause thousands of problems.
const items = z.array(z.unknown());
const name = z.string().max(nameLength, { abort: true }).regex(new RegExp(namePattern));
const listOutline = systemListSchema.extend({ systems: items.min(1) });
const systemOutline = systemSchema.extend({ system: name, projects: items });
const projectOutline = projectSchema.extend({ project: name, targets: items });
const targetOutline = targetSchema.extend({ target: name, network: items });
const node = nodeSchema.refine(({ url }) => URL.canParse(url), { path: ["url"], error: "Not a URL" });

/** Thrown and caught only in this file. */
class DocumentProblem extends Error {
  override readonly name = "DocumentProblem";
}

export function parseSystemList(reply: VerifyReply): Parsed<readonly string[]> {
  return tryParse(reply, (document) => [
    ...new Set(parse(listOutline, document).systems.map((system) => parse(name, system))),
  ]);
}

/** Parses the document of the system `expected`. A document of another system is a problem. */
export function parseSystem(reply: VerifyReply, expected: string): Parsed<NetworkSystem> {
  return tryParse(reply, (document) => {
    const { system, projects } = parse(systemOutline, document);
    if (system !== expected) throw new DocumentProblem(`the system ${quote(system)}`);
    return {
      system,
      projects: projects.map((one) => {
        const { project, targets } = parse(projectOutline, one);
        return {
          project,
          targets: targets.map((each) => {
            const { target, network } = parse(targetOutline, each);
            return { target, nodes: network.map((value) => parse(node, value)) };
          }),
        };
      }),
    };
  });
}

function parse<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  // JSON.stringify would fail on hostile values with deep nesting.
  const shown = inspect(value, { depth: 1, maxArrayLength: 2, maxStringLength: 100, breakLength: Infinity });
  throw new DocumentProblem(printable(`${place}${issue?.message}, in ${shown}`, 300));
}

function tryParse<Value>(reply: VerifyReply, read: (document: unknown) => Value): Parsed<Value> {
  if (reply.kind === "none" || reply.status !== 200 || !reply.whole) return { problem: "no document" };
  const document = tryParseJson(reply.body.toString());
  if (document === undefined) return { problem: `not JSON: ${quote(reply.body.toString("utf8", 0, 500))}` };
  try {
    return { value: read(document) };
  } catch (error) {
    if (!(error instanceof DocumentProblem)) throw error;
    return { problem: error.message };
  }
}
