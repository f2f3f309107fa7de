import * as z from "zod";
import { errorDocuments, type FeedNames } from "../hosts/contract.ts";
import { tryParseJson } from "../text/parse-json.ts";
import type { VerifyReply } from "./client.ts";

type SystemNames = FeedNames[number];

/** The names that can be in a path unescaped. Other services may have names that mirrors.json does not allow. */
const name = z.string().regex(/^(?!\.+$)[A-Za-z0-9._~-]{1,100}$/);

// Lists are read one by one up to the first problem, so that a hostile list makes only one.
const list = z.object({ systems: z.array(z.unknown()).min(1) });
const system = z.object({ projects: z.array(z.unknown()).min(1) });
const project = z.object({ project: name, targets: z.array(z.unknown()) });
const target = z.object({ target: name });
const notFound = z.object({ error: z.literal(errorDocuments["not-found"].error) });

/** How many projects of a system are read, and below how many targets in all. */
const maxProjects = 1000;
const maxTargets = 10_000;

/** Returns whether a name can be in a path unescaped. */
export function isName(text: string): boolean {
  return name.safeParse(text).success;
}

/** Returns the systems that an answer lists, or undefined if it does not list any. */
export function listedSystems(reply: VerifyReply | undefined): readonly string[] | undefined {
  const parsed = list.safeParse(documentOf(reply));
  const systems = parsed.success ? each(parsed.data.systems, name) : undefined;
  return systems && [...new Set(systems)];
}

/** Returns the names in a system's document, or undefined if it does not have the shape of mirrorfeed's. */
export function namesOfSystem(called: string, reply: VerifyReply | undefined): SystemNames | undefined {
  const parsed = system.safeParse(documentOf(reply));
  const projects = parsed.success ? each(parsed.data.projects.slice(0, maxProjects), project) : undefined;
  let left = maxTargets;
  const named = projects?.map((one) => {
    const targets = each(one.targets.slice(0, left), target) ?? [];
    left -= targets.length;
    return { ...one, targets };
  });
  return named && { system: called, projects: withTargetsFirst(named, ({ targets }) => targets.length) };
}

/** Returns the parts with those without targets last: the edge cases need a feed's first target. */
export function withTargetsFirst<Part>(parts: readonly Part[], count: (part: Part) => number): Part[] {
  return parts.toSorted((left, right) => Number(count(left) === 0) - Number(count(right) === 0));
}

/** Returns whether mirrorfeed made a deployment. Only mirrorfeed has a list of systems and documents of errors. */
export function isOwn(systems: VerifyReply | undefined, error: VerifyReply | undefined): boolean {
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

function documentOf(reply: VerifyReply | undefined): unknown {
  if (reply?.kind !== "answer" || reply.status !== 200 || !reply.whole) return undefined;
  return tryParseJson(reply.body.toString());
}
