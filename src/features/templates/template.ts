import mustache, { type TemplateSpans } from "mustache";
import { InputError } from "../../core/base/errors.ts";
import type { SiteFile } from "../../core/base/files/site-file.ts";
import { closestName } from "../../core/base/text/name.ts";
import { escapeXml, printable, quote } from "../../core/base/text/quote.ts";
import type { Feed } from "../../core/feed/feed.ts";
import { find, isList, isScope, namesOf, type PlacedMirror, type Value, viewOf } from "./view.ts";

export interface Template {
  /** The path of the rendered file. */
  readonly path: string;
  readonly text: string;
}

/** How to write values into files of one format. Values never contain control characters or line breaks. */
interface Format {
  readonly escape: (text: string) => string;
  /** Returns why it would be unsafe to write `tag` after the text `before`, and what to write instead. */
  readonly problemAfter?: (before: string, tag: string) => string | undefined;
}

const markup: Format = {
  escape: (text) => escapeXml(text).replaceAll("'", "&#39;"),
  problemAfter: (before, tag) => {
    if (/<(script|style)\b(?:(?!<\/\1)[^])*$|\son\w+\s*=\s*(?:"[^"]*|'[^']*)$/i.test(before))
      return `${tag} is in a script or a style; put it in an attribute, such as data-url="${tag}", and let a script read that`;
    return /<[a-z/][^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*)*$/i.test(before)
      ? `${tag} is in a tag, but not between quotes; write "${tag}"`
      : undefined;
  },
};

const data: Format = {
  // JSON's escapes are also valid in TOML and YAML. Escapes single quotes, too, in case they enclose the JSON.
  escape: (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll("'", String.raw`\u0027`),
  problemAfter: (before, tag) => {
    const line = before.slice(before.lastIndexOf("\n") + 1).replaceAll(/\\./g, "");
    return line.split('"').length % 2 === 0
      ? undefined
      : `${tag} is not between double quotes; write "${tag}"`;
  },
};

function formatOf(path: string): Format {
  if (/\.(?:x(?:ml|ht|sl|sd)|[sx]?html?|svg|atom|rss|rdf|opml|meta4|metalink|plist)$/i.test(path))
    return markup;
  return /\.(?:\w*json\w*|webmanifest|toml|ya?ml)$/i.test(path) ? data : { escape: (text) => text };
}

/** A template must not become a script, because no way of escaping is safe everywhere in a script. */
const scripts = /\.(?:(?:ba|z|k|c|fi)?sh|[cm]?[jt]s|php|py|pl|rb|lua|ps1|bat|cmd)$/i;

/** The patterns allow spaces after the braces, since the library does, too. */
const refusedTags: readonly (readonly [RegExp, string])[] = [
  [/\{\{\s*=/, "a template cannot change the delimiters; keep {{ and }}"],
  [
    /\{\{\s*[{&]/,
    "this tag would write a value unescaped; write {{name}}, or { {{name}} for a brace before the value",
  ],
  [/\{\{\s*>/, "a template cannot include another one; copy its text here"],
];

const maxNames = 25;

/** Looks names up in the view. The library's context would split a name at every dot. */
class ViewContext extends mustache.Context {
  readonly #scope: Value;
  readonly #outer: ViewContext | undefined;

  constructor(scope: Value, outer?: ViewContext) {
    super(scope, outer);
    this.#scope = scope;
    this.#outer = outer;
  }

  override push(scope: Value): ViewContext {
    return new ViewContext(scope, this);
  }

  find(name: string): { readonly value: Value } | undefined {
    return find(this.#scope, name) ?? this.#outer?.find(name);
  }

  override lookup(name: string): Value {
    return this.find(name)?.value;
  }

  /** Returns the names that a tag can use here, innermost first. */
  names(): string[] {
    return [...(isScope(this.#scope) ? this.#scope.keys() : []), ...(this.#outer?.names() ?? [])];
  }
}

/** Throws InputError if the template is invalid, uses an unknown name, or would write text unescaped. */
export function checkTemplate({ path, text }: Template, file: string, nodes: readonly PlacedMirror[]): void {
  if (scripts.test(path))
    throw new InputError(
      `${quote(file)} would become a script; make it a data file, such as .json, and let a script read that.`,
    );
  const fail: Fail = (at, problem) => {
    const line = text.slice(0, at).split("\n").length;
    throw new InputError(`${quote(file)}, line ${line}: ${problem}${problem.endsWith("?") ? "" : "."}`);
  };
  for (const [tag, problem] of refusedTags) {
    const at = text.search(tag);
    if (at >= 0) fail(at, problem);
  }
  const { problemAfter } = formatOf(path);
  const check = (spans: TemplateSpans, context: ViewContext): void => {
    for (const span of spans) {
      const [type, name, at] = span;
      if (type === "text" || type === "!") continue;
      const { value } = context.find(name) ?? fail(at, unknownName(name, context));
      if (span.length === 6)
        check(span[4], type === "#" ? context.push(isList(value) ? value[0] : value) : context);
      else if (isList(value) || isScope(value))
        fail(
          at,
          `${quote(name)} is a section, not a value; write {{#${name}}}{{NAME}}{{/${name}}}, where NAME is the name of one of its values`,
        );
      else if (typeof value === "string") {
        const problem = problemAfter?.(text.slice(0, at), `{{${name}}}`);
        if (problem !== undefined) fail(at, problem);
      }
    }
  };
  check(parse(text, fail), new ViewContext(namesOf(nodes)));
}

type Fail = (at: number, problem: string) => never;

function parse(text: string, fail: Fail): TemplateSpans {
  try {
    return mustache.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    const [, problem, at] = /^(Un(?:closed|opened) [^]*) at (\d+)$/.exec(message) ?? [];
    if (problem === undefined) throw error;
    // For an unclosed tag, the library reports the end of the text instead of the tag's start.
    const start = problem === "Unclosed tag" ? text.indexOf("{{", text.lastIndexOf("}}") + 1) : Number(at);
    const remedy = "end every tag with }}, and every section with {{/NAME}}";
    return fail(start, `${printable(problem.toLowerCase())}; ${remedy}`);
  }
}

function unknownName(name: string, context: ViewContext): string {
  const dot = name.lastIndexOf(".");
  const scope = dot > 0 ? context.find(name.slice(0, dot))?.value : undefined;
  const [above, known] = isScope(scope) ? [name.slice(0, dot + 1), [...scope.keys()]] : ["", context.names()];
  const meant = closestName(name.slice(above.length), known);
  if (meant !== undefined) return `${quote(name)} is unknown here; did you mean ${above}${meant}?`;
  const more = known.length > maxNames ? ` and ${known.length - maxNames} more` : "";
  return `${quote(name)} is unknown here; the known names are ${known.slice(0, maxNames).join(", ")}${more}`;
}

export function renderTemplates(feed: Feed, templates: readonly Template[]): SiteFile[] {
  const view = viewOf(feed);
  return templates.map(({ path, text }) => {
    const { escape } = formatOf(path);
    const content = (): string =>
      mustache.render(text, new ViewContext(view), {}, { escape: (value) => escape(String(value)) });
    return { path, content };
  });
}
