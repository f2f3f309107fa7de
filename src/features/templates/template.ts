import { join } from "node:path";
import mustache, { type TemplateSpans } from "mustache";
import { InputError } from "../../core/base/errors.ts";
import { readText } from "../../core/base/files/read-text.ts";
import { isSitePath, type SiteFile } from "../../core/base/files/site-file.ts";
import { closestName } from "../../core/base/text/name.ts";
import { escapeXml, printable, quote } from "../../core/base/text/quote.ts";
import type { Feed } from "../../core/feed/feed.ts";
import { filledPath } from "./filled-path.ts";
import { find, isList, isScope, namesOf, type PlacedMirror, type Value, viewOf } from "./view.ts";

/** `path` is that of the rendered file. */
type Template = Readonly<Record<"path" | "text", string>>;

/**
 * Returns a function that fills in the templates among the files of a folder. The other files stay as they are. Throws
 * InputError if a template is invalid.
 */
export async function fillTemplates(
  folder: string,
  files: readonly SiteFile[],
  nodes: readonly PlacedMirror[],
): Promise<(feed: Feed) => SiteFile[]> {
  const copied = files.filter(({ path }) => filledPath(path) === undefined);
  const templates: Template[] = [];
  for (const { path: source } of files) {
    const path = filledPath(source);
    if (path === undefined) continue;
    const file = join(folder, source);
    if (!isSitePath(path))
      throw new InputError(
        `${quote(file)} has no name before .mustache; put the name of the published file there.`,
      );
    if (copied.some((other) => other.path === path))
      throw new InputError(`${quote(file)} would produce a file that already exists; remove one of the two.`);
    const text = await readText(file, 1024 * 1024, "shorten it");
    checkTemplate({ path, text }, file, nodes);
    templates.push({ path, text });
  }
  return (feed) => [...copied, ...renderTemplates(feed, templates)];
}

/** How to write values into files of one format. Values never contain control characters or line breaks. */
interface Format {
  readonly extensions: RegExp;
  readonly escape: (text: string) => string;
  /** Returns whether a text may follow this part of the template. By default, it may. */
  readonly isPlace?: (before: string) => boolean;
}

/** Comments, CDATA sections, processing instructions and tags. */
const xmlMarkup =
  /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\?[^]*?\?>|<(?:[a-z/]|!doctype\b)(?:[^<>"']|"[^"]*"|'[^']*')*>/gi;
const openAttribute = /<[a-z](?:[^<>"']|"[^"]*"|'[^']*')*=\s*(?:"[^"<]*|'[^'<]*)$/i;

const formats: readonly Format[] = [
  {
    extensions: /\.(?:xml|xsd|atom|rss|rdf|opml|meta4|metalink|plist)$/i,
    escape: (text) => escapeXml(text).replaceAll("'", "&#39;"),
    isPlace: (before) => {
      const open = before.replaceAll(xmlMarkup, "");
      return !open.includes("<") || openAttribute.test(open);
    },
  },
  {
    extensions: /\.(?:\w*json|webmanifest|toml|ya?ml)$/i,
    // JSON's escapes are also valid in TOML and YAML. Escapes single quotes, too, in case they enclose the JSON.
    escape: (text) => JSON.stringify(text).slice(1, -1).replaceAll("'", "\\u0027"),
    isPlace: (before) => {
      const line = before.slice(before.lastIndexOf("\n") + 1);
      const open = line.replaceAll(/\\.|\{\{[^}]*\}\}/g, "").replaceAll(/"[^"]*"/g, "");
      return /(?:^|[[{(,:=.]|^\s*-)\s*"[^"]*$/.test(open);
    },
  },
  {
    // Files that no shell or browser runs, in lines. Those whose names end with "file" do, such as a Makefile.
    extensions:
      /(?:\.(?:cfg|conf|csv|env|ini|list|md|properties|repo|sources|txt)|(?:^|\/)[^./]+(?<!file))$/i,
    escape: (text) => text,
  },
];

/** Browsers run scripts in XML that uses one of these. */
const browserXml = /www\.w3\.org\/(?:1999\/xhtml|2000\/svg)|<\?xml-stylesheet/i;

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

  override lookup(name: string): Value {
    return find(this.#scope, name) ?? this.#outer?.lookup(name);
  }

  /** Returns the names that a tag can use here, innermost first. */
  names(): string[] {
    return [...(isScope(this.#scope) ? this.#scope.keys() : []), ...(this.#outer?.names() ?? [])];
  }
}

/** Throws InputError if the template is invalid, uses an unknown name, or would write text unescaped. */
export function checkTemplate({ path, text }: Template, file: string, nodes: readonly PlacedMirror[]): void {
  const format = formats.find(({ extensions }) => extensions.test(path));
  if (format === undefined || browserXml.test(text))
    throw new InputError(
      `${quote(file)} could become a page, a picture or a program; make it a data file, such as .json, .toml, .yaml, .xml, .conf or .txt, and let a program read that.`,
    );
  const fail = (at: number, problem: string): never => {
    const line = text.slice(0, at).split("\n").length;
    throw new InputError(`${quote(file)}, line ${line}: ${problem}.`);
  };
  const check = (spans: TemplateSpans, context: ViewContext): void => {
    for (const span of spans) {
      const [type, name, at] = span;
      if (type === "text" || type === "!") continue;
      if (!["name", "#", "^"].includes(type))
        fail(at, "only {{NAME}}, {{#NAME}}, {{^NAME}}, {{/NAME}} and {{! comments}} can be used");
      const value = context.lookup(name) ?? fail(at, unknownName(name, context.names()));
      if (span.length === 6)
        check(span[4], type === "#" ? context.push(isList(value) ? value[0] : value) : context);
      else if (isList(value) || isScope(value))
        fail(
          at,
          `${quote(name)} is a section; write {{#${name}}}, a name of one of its values, and {{/${name}}}`,
        );
      else if (typeof value === "string" && format.isPlace?.(text.slice(0, at)) === false)
        fail(
          at,
          `text must be between double quotes or, in XML, between tags or in a quoted attribute; move {{${name}}} there`,
        );
    }
  };
  check(parse(text, fail), new ViewContext(namesOf(nodes)));
}

function parse(text: string, fail: (at: number, problem: string) => never): TemplateSpans {
  try {
    return mustache.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    const [, problem = message, at] = /^([^]*) at (\d+)$/.exec(message) ?? [];
    const remedy = "end every tag with }}, and every section with {{/NAME}}";
    return fail(Number(at ?? 0), `${printable(problem.toLowerCase())}; ${remedy}`);
  }
}

function unknownName(name: string, known: readonly string[]): string {
  const meant = closestName(name, known);
  const names = meant ?? known.slice(0, 25).join(", ") + (known.length > 25 ? ", …" : "");
  return `${quote(name)} is unknown here; ${meant === undefined ? "the known names are" : "perhaps you mean"} ${names}`;
}

export function renderTemplates(feed: Feed, templates: readonly Template[]): SiteFile[] {
  const view = viewOf(feed);
  return templates.map(({ path, text }) => {
    const format = formats.find(({ extensions }) => extensions.test(path));
    const escape = (value: unknown): string => format?.escape(String(value)) ?? "";
    return { path, content: () => mustache.render(text, new ViewContext(view), {}, { escape }) };
  });
}
