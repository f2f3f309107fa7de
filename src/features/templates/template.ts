import { join } from "node:path";
import mustache, { type TemplateSpans } from "mustache";
import { asError, InputError } from "../../core/base/errors.ts";
import { readText } from "../../core/base/files/read-text.ts";
import type { SiteFile } from "../../core/base/files/site-file.ts";
import { closestName } from "../../core/base/text/name.ts";
import { cut, escapeXml, printable, quote } from "../../core/base/text/quote.ts";
import type { Node } from "../../core/config/nodes.ts";
import type { Feed } from "../../core/feed/feed.ts";
import { filledPath } from "./filled-path.ts";
import { find, type Scope, type Value, viewOf } from "./view.ts";

/** Returns a function that replaces the templates among a folder's files. Throws InputError if a template is invalid. */
export async function fillTemplates(
  folder: string,
  files: readonly SiteFile[],
  nodes: readonly Node[],
): Promise<(feed: Feed) => SiteFile[]> {
  const copied = files.filter(({ path }) => filledPath(path) === undefined);
  const templates: { path: string; render: Render }[] = [];
  for (const { path: source } of files) {
    const path = filledPath(source);
    if (path === undefined) continue;
    const file = join(folder, source);
    if (copied.some((other) => other.path === path))
      throw new InputError(`${quote(file)} would produce a file that already exists; remove one of the two.`);
    const text = await readText(file, 1024 * 1024, "shorten it");
    templates.push({ path, render: compileTemplate(file, text, path, viewOf(nodes)) });
  }
  return (feed) => {
    const view = viewOf(nodes, feed);
    return [...copied, ...templates.map(({ path, render }) => ({ path, content: () => render([view]) }))];
  };
}

/** Comments, CDATA sections, processing instructions and tags. */
const xmlMarkup =
  /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\?[^]*?\?>|<(?:[a-z/]|!doctype\b)(?:[^<>"']|"[^"]*"|'[^']*')*>/gi;
const openAttribute = /<[a-z](?:[^<>"']|"[^"]*"|'[^']*')*=\s*(?:"[^"<]*|'[^'<]*)$/i;

/** Values have no line breaks or control characters. `isPlace` returns whether a text may follow this part of a file. */
const formats = [
  {
    extensions: /\.(?:xml|xsd|atom|rss|rdf|opml|meta4|metalink|plist)$/i,
    escape: (value: unknown) => escapeXml(String(value)).replaceAll("'", "&#39;"),
    isPlace: (before: string) => {
      const open = before.replaceAll(xmlMarkup, "");
      return !open.includes("<") || openAttribute.test(open);
    },
  },
  {
    extensions: /\.(?:\w*json|webmanifest|toml|ya?ml)$/i,
    // JSON's escapes are also valid in TOML and YAML. Escapes single quotes, too, in case they enclose the JSON.
    escape: (value: unknown) => JSON.stringify(String(value)).slice(1, -1).replaceAll("'", "\\u0027"),
    isPlace: (before: string) => {
      const line = before.slice(before.lastIndexOf("\n") + 1);
      const open = line.replaceAll(/\\.|\{\{[^}]*\}\}/g, "").replaceAll(/"[^"]*"/g, "");
      return /(?:^|[[{(,:=.]|^\s*-)\s*"[^"]*$/.test(open);
    },
  },
  {
    // Files that no shell or browser runs, in lines. Those whose names end with "file" do, such as a Makefile.
    extensions:
      /(?:\.(?:cfg|conf|csv|env|ini|list|md|properties|repo|sources|txt)|(?:^|\/)[^./]+(?<!file))$/i,
    escape: String,
  },
];

/** Browsers run scripts in XML that uses one of these. */
const browserXml = /www\.w3\.org\/(?:1999\/xhtml|2000\/svg)|<\?xml-stylesheet/i;

/** Renders a part of a template. `scopes` are those of the sections around it, innermost first. */
type Render = (scopes: readonly Scope[]) => string;

/** Throws InputError if the template in `file` is invalid, uses an unknown name, or would write text unescaped. */
export function compileTemplate(file: string, text: string, path: string, names: Scope): Render {
  const format = formats.find(({ extensions }) => extensions.test(path));
  if (format === undefined || browserXml.test(text))
    throw new InputError(
      `${quote(file)} could become a page, a picture or a program; make it a data file, such as .json, .toml, .yaml, .xml, .conf or .txt, and let a program read that.`,
    );
  const fail = (at: number, problem: string): never => {
    const line = text.slice(0, at).split("\n").length;
    throw new InputError(`${quote(file)}, line ${line}: ${problem}.`);
  };
  const compile = (spans: TemplateSpans, known: readonly Scope[]): Render => {
    const parts = spans.map((span): Render => {
      const [type, name, at] = span;
      if (type === "text") return () => name;
      if (type === "!") return () => "";
      if (!["name", "#", "^"].includes(type))
        fail(at, "only {{NAME}}, {{#NAME}}, {{^NAME}}, {{/NAME}} and {{! comments}} can be used");
      const value = find(name, known);
      if (value === undefined) {
        const usable = [...new Set(known.flatMap((scope) => [...scope.keys()]))];
        const remedy = closestName(name, usable) ?? `one of ${cut(usable.join(", "), 1000)}`;
        return fail(at, `${quote(name)} is unknown here; write ${remedy}`);
      }
      if (span.length === 6) {
        const [inside = known] = scopesIn(type, value, known);
        const inner = compile(span[4], inside);
        return (scopes) => scopesIn(type, find(name, scopes), scopes).map(inner).join("");
      }
      if (typeof value === "object")
        fail(at, `${quote(name)} is a section; write {{#${name}}}, a name of its values, and {{/${name}}}`);
      if (typeof value === "string" && format.isPlace?.(text.slice(0, at)) === false)
        fail(at, `{{${name}}} must be in double quotes or, in XML, between tags or in a quoted attribute`);
      return (scopes) => format.escape(find(name, scopes));
    });
    return (scopes) => parts.map((part) => part(scopes)).join("");
  };
  return compile(parse(text, fail), [names]);
}

/** Returns the scopes for each time that a section with this value is rendered. */
function scopesIn(type: string, value: Value, scopes: readonly Scope[]): (readonly Scope[])[] {
  const items = [value].flat().filter(Boolean);
  if (type === "^") return items.length === 0 ? [scopes] : [];
  return items.map((item) => (item instanceof Map ? [item, ...scopes] : scopes));
}

function parse(text: string, fail: (at: number, problem: string) => never): TemplateSpans {
  try {
    return mustache.parse(text);
  } catch (error) {
    const [problem = "", at] = asError(error).message.split(/ at (\d+)$/);
    const remedy = "end every tag with }}, and every section with {{/NAME}}";
    return fail(Number(at ?? 0), `${printable(problem.toLowerCase())}; ${remedy}`);
  }
}
