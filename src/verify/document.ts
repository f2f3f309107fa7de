import { isObject } from "../config/outline.ts";
import { parseUrl } from "../text/url.ts";
import { tryParseJson } from "../text/parse-json.ts";
import { quote } from "../text/quote.ts";
import type { NodeDocument } from "../render/network.ts";
import type { Finding, Rule } from "./severity.ts";

/** The comparable content of a document of the contract, at any level. */
export interface FeedDocument {
  readonly systems: readonly string[];
  /** In their order. Empty if the document has another shape than mirrorfeed's. */
  readonly targets: readonly TargetNodes[];
  /** All its nodes, at any depth. */
  readonly nodes: readonly NodeDocument[];
}

/** The nodes of a target, and its names from the system on, as in a path. */
export interface TargetNodes {
  readonly place: string;
  readonly network: readonly NodeDocument[];
}

export interface Inspection {
  /** Undefined if the document cannot be compared. */
  readonly document: FeedDocument | undefined;
  readonly findings: readonly Finding[];
}

type Fields = Readonly<Record<string, unknown>>;

const nodeFields = ["id", "name", "url", "status"];
const deepest = 16;

/** A document that cannot be read any further. This error stays in this file. */
class Problem extends Error {
  override readonly name = "Problem";
  readonly finding: Finding;

  constructor(rule: Rule, expected: string, actual: string) {
    super(actual);
    this.finding = { rule, expected, actual };
  }
}

/**
 * Parses the document for these names: system, project, target and status. For a deployment of mirrorfeed it knows the
 * fields of every level, for others only those of targets and nodes.
 */
export function inspectDocument(names: readonly string[], body: Buffer, own: boolean): Inspection {
  const reader = new Reader(own);
  try {
    const document = reader.document(names, parseJson(body));
    return { document, findings: [...reader.findings.values()] };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { document: undefined, findings: [error.finding] };
  }
}

/** Stops at the first problem, so that a hostile document costs no more than a good one. */
class Reader {
  /** Problems that need no stop, once for each rule. */
  readonly findings = new Map<Rule, Finding>();
  readonly #own: boolean;

  constructor(own: boolean) {
    this.#own = own;
  }

  document(names: readonly string[], value: unknown): FeedDocument {
    const [system, project, target, status] = names;
    if (!isObject(value)) throw new Problem("shape", "an object", shown(value));
    if (Object.hasOwn(value, "error"))
      throw new Problem("errorless", "no property error in a 200", `error: ${shown(value["error"])}`);
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
      throw new Problem("shape", "an integer as id of a node", shown(id));
    const of = `of node ${id}`;
    if (typeof name !== "string") throw new Problem("shape", `a text as name ${of}`, shown(name));
    const parsed = typeof url === "string" ? parseUrl(url) : undefined;
    if (typeof url !== "string" || parsed === undefined)
      throw new Problem("shape", `a URL as url ${of}`, shown(url));
    if (parsed.protocol !== "https:" && parsed.protocol !== "http:")
      this.#note(
        "scheme",
        `http or https in the URL ${of}; clients that know no other leave it out`,
        shown(url),
      );
    if (status !== 0 && status !== 1) throw new Problem("shape", `0 or 1 as status ${of}`, shown(status));
    return { id, name, url, status };
  }

  /** Every object with a `url` and a `status` is a node, whatever the names of its parents. */
  #nodesIn(value: unknown, depth = 0): NodeDocument[] {
    if (depth > deepest || typeof value !== "object" || value === null) return [];
    if ("url" in value && "status" in value) return [this.#node(value)];
    return Object.values(value).flatMap((part) => this.#nodesIn(part, depth + 1));
  }

  #fields(what: string, value: unknown, names: readonly string[]): Fields {
    if (!isObject(value)) throw new Problem("shape", `${what} as an object`, shown(value));
    const missing = names.find((name) => !Object.hasOwn(value, name));
    const actual = Object.keys(value);
    const list = `the fields ${names.join(", ")}`;
    if (missing !== undefined)
      throw new Problem("shape", `${what} with ${list}`, `no ${missing}: ${shown(value)}`);
    if (actual.length !== names.length || names.some((name, index) => actual[index] !== name))
      this.#note("fields", `${what} with exactly ${list}, in this order`, quote(actual.join(", ")));
    return value;
  }

  #list(what: string, value: unknown): readonly unknown[] {
    if (!Array.isArray(value)) throw new Problem("shape", `${what} as a list`, shown(value));
    return value;
  }

  #named(what: string, expected: string | undefined, value: unknown): string {
    if (typeof value !== "string") throw new Problem("shape", `a text as ${what}`, shown(value));
    if (expected !== undefined && value !== expected)
      throw new Problem("shape", `${what} ${quote(expected)}`, shown(value));
    return value;
  }

  #note(rule: Rule, expected: string, actual: string): void {
    if (!this.findings.has(rule)) this.findings.set(rule, { rule, expected, actual });
  }
}

function parseJson(body: Buffer): unknown {
  const value = tryParseJson(body.toString());
  if (value === undefined) throw new Problem("json", "JSON", quote(body.toString("utf8", 0, 500)));
  return value;
}

/** Returns a value for people: a text is quoted, an array or object only named. */
function shown(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isObject(value)) return `an object with ${quote(Object.keys(value).slice(0, 10).join(", "))}`;
  return value === undefined ? "nothing" : JSON.stringify(value);
}
