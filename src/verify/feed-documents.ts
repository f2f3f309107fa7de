import { inspect } from "node:util";
import * as z from "zod";
import type { NetworkSystem } from "../contract/network.ts";
import {
  nodeSchema,
  projectSchema,
  systemListSchema,
  systemSchema,
  targetSchema,
} from "../contract/network-schema.ts";
import { nameLength, namePattern } from "../base/text/name.ts";
import { tryParseJson } from "../base/text/json.ts";
import { printable, quote } from "../base/text/quote.ts";
import type { VerifyReply } from "./client.ts";

/** A value, or in words for people why there is none. */
export type Parsed<Value> = { readonly value: Value } | { readonly problem: string };

// Lists are parsed one item at a time up to the first problem, so that a hostile list causes only one.
const items = z.array(z.unknown());
const name = z.string().max(nameLength, { abort: true }).regex(new RegExp(namePattern));
const list = systemListSchema.extend({ systems: items.min(1) });
const system = systemSchema.extend({ system: name, projects: items });
const project = projectSchema.extend({ project: name, targets: items });
const target = targetSchema.extend({ target: name, network: items });
const node = nodeSchema.refine(({ url }) => URL.canParse(url), { path: ["url"], error: "Not a URL" });

/** This error stays in this file. */
class DocumentProblem extends Error {
  override readonly name = "DocumentProblem";
}

/** Returns the systems that an answer lists. */
export function parseSystemList(reply: VerifyReply): Parsed<readonly string[]> {
  return tryParse(() => [...new Set(parse(list, jsonOf(reply)).systems.map((one) => parse(name, one)))]);
}

/** Returns the system of this name, with all that its document says of it. */
export function parseSystem(reply: VerifyReply, called: string): Parsed<NetworkSystem> {
  return tryParse(() => {
    const document = parse(system, jsonOf(reply));
    if (document.system !== called) throw new DocumentProblem(`the system ${quote(document.system)}`);
    const projects = document.projects.map((value) => parseProject(value, called));
    return { system: called, projects };
  });
}

function parseProject(value: unknown, above: string): NetworkSystem["projects"][number] {
  const { project: called, targets } = parse(project, value);
  return {
    project: called,
    targets: targets.map((one) => {
      const { target: named, network } = parse(target, one);
      const nodes = network.map((each) => parse(node, each));
      return { target: named, place: `${above}/${called}/${named}`, nodes };
    }),
  };
}

function parse<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  // Not JSON.stringify: hostile values are deep.
  const shown = inspect(value, { depth: 1, maxArrayLength: 2, maxStringLength: 100, breakLength: Infinity });
  throw new DocumentProblem(printable(`${place}${issue?.message}, in ${shown}`, 300));
}

function jsonOf(reply: VerifyReply): unknown {
  if (reply.kind === "none" || reply.status !== 200 || !reply.whole) throw new DocumentProblem("no document");
  const value = tryParseJson(reply.body.toString());
  if (value === undefined)
    throw new DocumentProblem(`no JSON, but ${quote(reply.body.toString("utf8", 0, 500))}`);
  return value;
}

function tryParse<Value>(read: () => Value): Parsed<Value> {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof DocumentProblem)) throw error;
    return { problem: error.message };
  }
}
