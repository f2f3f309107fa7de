import { isObject } from "../../config/outline.ts";
import { parseUrl } from "../../config/url.ts";
import { jsonValue } from "../../json-value.ts";
import { quote } from "../../quote.ts";
import type { NodeDocument } from "../../render/network.ts";
import type { Finding, Rule } from "./severity.ts";

/** What a document of the contract says, whatever its level, as far as it can be compared with others. */
export interface FeedDocument {
  readonly systems: readonly string[];
  /** In their order; none where the document is in another shape than that of mirrorfeed. */
  readonly targets: readonly TargetNodes[];
  /** All of its nodes, wherever in it they stand. */
  readonly nodes: readonly NodeDocument[];
}

/** The nodes of a target, and its names from the system on, as in a path. */
export interface TargetNodes {
  readonly place: string;
  readonly network: readonly NodeDocument[];
}

export interface Inspection {
  /** Undefined where the document cannot be compared. */
  readonly document: FeedDocument | undefined;
  readonly findings: readonly Finding[];
}

type Fields = Readonly<Record<string, unknown>>;

const nodeFields = ["id", "name", "url", "status"];
const deepest = 16;

/** A document that cannot be read any further; it never leaves this file. */
class Fault extends Error {
  override readonly name = "Fault";
  readonly finding: Finding;

  constructor(rule: Rule, expected: string, came: string) {
    super(came);
    this.finding = { rule, expected, came };
  }
}

/**
 * Reads the document that should stand at these names: those of a system, project, target and status. Of a deployment
 * of ours the fields are known on every level; of others only those of targets and nodes.
 */
export function inspectDocument(names: readonly string[], body: Buffer, own: boolean): Inspection {
  const reader = new Reader(own);
  try {
    const document = reader.document(names, parseJson(body));
    return { document, findings: [...reader.findings.values()] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { document: undefined, findings: [error.finding] };
  }
}

/** Reads up to the first fault, so that a hostile document costs no more than a good one. */
class Reader {
  /** What is wrong and yet no reason to stop, once for each rule. */
  readonly findings = new Map<Rule, Finding>();
  readonly #own: boolean;

  constructor(own: boolean) {
    this.#own = own;
  }

  document(names: readonly string[], value: unknown): FeedDocument {
    const [system, project, target, status] = names;
    if (!isObject(value)) throw new Fault("shape", "an object", shown(value));
    if (Object.hasOwn(value, "error"))
      throw new Fault("errorless", "no property error in a 200", `error: ${shown(value["error"])}`);
    if (system === undefined) {
      const { systems } = this.#fields("the document", value, ["systems"]);
      const listed = this.#list("systems", systems).map((name) => this.#named("system", undefined, name));
      return { systems: listed, targets: [], nodes: [] };
    }
    if (target === undefined && !this.#own) return { systems: [], targets: [], nodes: this.#nodesIn(value) };
    const targets =
      project === undefined
        ? this.#system(system, value)
        : target === undefined
          ? this.#project(project, value, system)
          : [this.#target(target, value, `${system}/${project}`)];
    const nodes = targets.flatMap(({ network }) => network);
    const stray = status === undefined ? undefined : nodes.find((node) => String(node.status) !== status);
    if (stray !== undefined)
      this.#note(
        "filter",
        `only nodes with status ${status}`,
        `node ${stray.id} with status ${stray.status}`,
      );
    return { systems: [], targets, nodes };
  }

  #system(name: string, value: unknown): TargetNodes[] {
    const { system, projects } = this.#fields("the system", value, ["system", "projects"]);
    this.#named("system", name, system);
    return this.#list("projects", projects).flatMap((project) => this.#project(undefined, project, name));
  }

  #project(name: string | undefined, value: unknown, above: string): TargetNodes[] {
    const { project, targets } = this.#fields("a project", value, ["project", "targets"]);
    const called = this.#named("project", name, project);
    return this.#list("targets", targets).map((target) =>
      this.#target(undefined, target, `${above}/${called}`),
    );
  }

  #target(name: string | undefined, value: unknown, above: string): TargetNodes {
    const { target, network } = this.#fields("a target", value, ["target", "network"]);
    const called = this.#named("target", name, target);
    return {
      place: `${above}/${called}`,
      network: this.#list("network", network).map((node) => this.#node(node)),
    };
  }

  #node(value: unknown): NodeDocument {
    const { id, name, url, status } = this.#fields("a node", value, nodeFields);
    if (typeof id !== "number" || !Number.isSafeInteger(id))
      throw new Fault("shape", "an integer as id of a node", shown(id));
    const of = `of node ${id}`;
    if (typeof name !== "string") throw new Fault("shape", `a text as name ${of}`, shown(name));
    const parsed = typeof url === "string" ? parseUrl(url) : undefined;
    if (typeof url !== "string" || (parsed?.protocol !== "https:" && parsed?.protocol !== "http:"))
      throw new Fault("shape", `an http or https url ${of}`, shown(url));
    if (status !== 0 && status !== 1) throw new Fault("shape", `0 or 1 as status ${of}`, shown(status));
    return { id, name, url, status };
  }

  /** Every object with a url and a status is a node, whatever the names of what it stands in. */
  #nodesIn(value: unknown, depth = 0): NodeDocument[] {
    if (depth > deepest || typeof value !== "object" || value === null) return [];
    if ("url" in value && "status" in value) return [this.#node(value)];
    return Object.values(value).flatMap((part) => this.#nodesIn(part, depth + 1));
  }

  #fields(what: string, value: unknown, names: readonly string[]): Fields {
    if (!isObject(value)) throw new Fault("shape", `${what} as an object`, shown(value));
    const missing = names.find((name) => !Object.hasOwn(value, name));
    const came = Object.keys(value);
    const list = `the fields ${names.join(", ")}`;
    if (missing !== undefined)
      throw new Fault("shape", `${what} with ${list}`, `no ${missing}: ${shown(value)}`);
    if (came.length !== names.length || names.some((name, place) => came[place] !== name))
      this.#note("fields", `${what} with exactly ${list}, in this order`, quote(came.join(", ")));
    return value;
  }

  #list(what: string, value: unknown): readonly unknown[] {
    if (!Array.isArray(value)) throw new Fault("shape", `${what} as a list`, shown(value));
    return value;
  }

  #named(what: string, expected: string | undefined, value: unknown): string {
    if (typeof value !== "string") throw new Fault("shape", `a text as ${what}`, shown(value));
    if (expected !== undefined && value !== expected)
      throw new Fault("shape", `${what} ${quote(expected)}`, shown(value));
    return value;
  }

  #note(rule: Rule, expected: string, came: string): void {
    if (!this.findings.has(rule)) this.findings.set(rule, { rule, expected, came });
  }
}

function parseJson(body: Buffer): unknown {
  const value = jsonValue(body.toString());
  if (value === undefined) throw new Fault("json", "JSON", quote(body.toString("utf8", 0, 500)));
  return value;
}

/** A value as it is shown to people: what a stranger wrote is quoted, a nested one only named. */
function shown(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isObject(value)) return `an object with ${quote(Object.keys(value).slice(0, 10).join(", "))}`;
  return value === undefined ? "nothing" : JSON.stringify(value);
}
