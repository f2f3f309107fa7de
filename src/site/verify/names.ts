import * as z from "zod";
import { errorDocuments, type FeedNames } from "../../contract.ts";
import { jsonValue } from "../../json-value.ts";
import type { Reply } from "./client.ts";

type SystemNames = FeedNames[number];

/** What may stand in a path as it is. Other services may have names that a configuration of ours must not. */
const name = z.string().regex(/^(?!\.+$)[A-Za-z0-9._~-]{1,100}$/);

// Lists are looked through one by one, up to the first fault: a hostile one must not become a million of them.
const list = z.object({ systems: z.array(z.unknown()).min(1) });
const system = z.object({ projects: z.array(z.unknown()).min(1) });
const project = z.object({ project: name, targets: z.array(z.unknown()) });
const target = z.object({ target: name });
const notFound = z.object({ error: z.literal(errorDocuments["not-found"].error) });

/** Of a system so many projects are known, and so many targets in all: what is more is not looked at. */
const mostProjects = 1000;
const mostTargets = 10_000;

/** Whether a name may stand in a path as it is. */
export function isName(text: string): boolean {
  return name.safeParse(text).success;
}

/** The systems that an answer lists, or undefined where it lists none. */
export function listedSystems(reply: Reply | undefined): readonly string[] | undefined {
  const parsed = list.safeParse(documentOf(reply));
  const systems = parsed.success ? each(parsed.data.systems, name) : undefined;
  return systems && [...new Set(systems)];
}

/** The names in a system's document, or undefined where it is not of the shape that mirrorfeed gives it. */
export function namesOfSystem(called: string, reply: Reply | undefined): SystemNames | undefined {
  const parsed = system.safeParse(documentOf(reply));
  const projects = parsed.success ? each(parsed.data.projects.slice(0, mostProjects), project) : undefined;
  let left = mostTargets;
  const named = projects?.map((one) => {
    const targets = each(one.targets.slice(0, left), target) ?? [];
    left -= targets.length;
    return { ...one, targets };
  });
  return named && { system: called, projects: withTargetsFirst(named, ({ targets }) => targets.length) };
}

/** The cases around a feed's first target need one: what has none comes last. */
export function withTargetsFirst<Part>(parts: readonly Part[], count: (part: Part) => number): Part[] {
  return parts.toSorted((left, right) => Number(count(left) === 0) - Number(count(right) === 0));
}

/**
 * Whether a deployment is one of mirrorfeed, by the documents that no other service of the specification has: the list
 * of systems, and the documents of errors.
 */
export function isOwn(systems: Reply | undefined, error: Reply | undefined): boolean {
  return listedSystems(systems) !== undefined || notFound.safeParse(documentOf(error)).success;
}

function each<Item>(items: readonly unknown[], shape: z.ZodType<Item>): Item[] | undefined {
  const parsed: Item[] = [];
  for (const item of items) {
    const one = shape.safeParse(item);
    if (!one.success) return undefined;
    parsed.push(one.data);
  }
  return parsed;
}

function documentOf(reply: Reply | undefined): unknown {
  if (reply?.kind !== "answer" || reply.status !== 200 || !reply.whole) return undefined;
  return jsonValue(reply.body.toString());
}
