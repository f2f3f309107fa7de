import { parseXml, XmlElement } from "@rgrove/parse-xml";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { InputError } from "../../../src/core/base/errors.ts";
import { hasInvisible } from "../../../src/core/base/text/quote.ts";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { type Feed, targetsOf } from "../../../src/core/feed/feed.ts";
import { compileTemplate } from "../../../src/features/templates/template.ts";
import { find, type Value, viewOf } from "../../../src/features/templates/view.ts";
import { configOf, except, minute, noon, play, roundsArbitrary, step } from "../../support/playing.ts";
import { trials } from "../../support/trials.ts";

const config = configOf();
const [first, second, third] = targetsOf(config.systems)[0]?.network ?? [];
Object.assign(first ?? {}, { country: "FR" });
Object.assign(second ?? {}, { name: `<b> & "q" 'a' \\ # ]` });
Object.assign(third ?? {}, { country: "DE" });
const { feed } = play(config, [{ at: noon, vantages: except({ 2: "timeout" }) }]);

function compile(text: string, path = "a.txt", of: Config = config) {
  const nodes = listNodes(of);
  const render = compileTemplate(`public/${path}.mustache`, text, path, viewOf(nodes));
  return (later: Feed = feed): string => render([viewOf(nodes, later)]);
}

/** Puts text in a section of the first target, whose mirrors are m1, m2 and m3. */
function inTarget(text: string): string {
  return `{{#s/p/t}}${text}{{/s/p/t}}`;
}

describe("a template", () => {
  test.each([
    ["the best mirror", "{{best.url}}", "https://m1.example.org/a/b"],
    ["all mirrors in order", "{{#ranked}}{{rank}}:{{id}}{{^last}},{{/last}}{{/ranked}}", "1:1,2:3,3:2"],
    ["mirrors by state", "{{#online}}{{id}} {{/online}}|{{#offline}}{{id}}{{/offline}}", "1 3 |2"],
    ["nothing for an empty state", "{{#behind}}{{id}}{{/behind}}{{^behind}}none{{/behind}}", "none"],
    ["whether a mirror has a state", "{{#ranked}}{{^online}}{{id}}{{/online}}{{/ranked}}", "2"],
    ["the best of a country", "{{country/de.best.id}}{{#country/fr}}{{best.id}}{{/country/fr}}", "31"],
    [
      "the fields of a mirror",
      "{{#best}}{{name}} {{host}} {{country}} {{state}} {{primary}}{{/best}}",
      "m1.example.org/a/b m1.example.org FR online true",
    ],
    ["nothing for a country that a mirror lacks", "{{#offline}}[{{country}}]{{/offline}}", "[]"],
    ["nothing of another mirror", "{{#best}}{{#ranked}}[{{country}}]{{/ranked}}{{/best}}", "[FR][DE][]"],
    ["what is outside of a section", "{{#best}}{{path}}{{/best}}", "s/p/t"],
    ["what a comment does not say", "{{! best.nothing }}x", "x"],
  ])("has %s", (_, text, expected) => {
    expect(compile(inTarget(text))()).toBe(expected);
  });

  test("has every target by its path and in a list", () => {
    const text = "{{z/p/t.best.id}}: {{#targets}}{{path}}{{^last}}, {{/last}}{{/targets}}";
    expect(compile(text)()).toBe("8: s/p/t, s/p/u, s/q/t, z/p/t");
  });

  test("finds targets with dots in their names, the longest name first", () => {
    const dotted = configOf();
    const targets = targetsOf(dotted.systems);
    for (const [index, name] of ["v1", "v1.best", "v1.0.x"].entries())
      Object.assign(targets[index] ?? {}, { target: name });
    const text = "{{#s/p/v1}}{{best.id}}{{/s/p/v1}} {{s/p/v1.best.best.id}} {{s/q/v1.0.x.best.id}}";
    const render = compile(text, "a.txt", dotted);
    expect(render(play(dotted, [{ at: noon }]).feed)).toBe("1 4 6");
  });

  test("stays the same while nothing changes", () => {
    const render = compile(`{{#targets}}${allOf(find("targets", [viewOf(listNodes(config))]))}{{/targets}}`);
    let played = play(config, [{ at: noon }]);
    const before = render(played.feed);
    for (let run = 1; run <= 3; run += 1) played = step(config, played, { at: noon + run * 30 * minute });
    expect(before).toContain("m3.example.org");
    expect(render(played.feed)).toBe(before);
  });
});

/** Returns a template that uses every name in a scope and in its inner scopes. */
function allOf(value: Value): string {
  const [scope] = [value].flat();
  if (!(scope instanceof Map)) return "";
  const parts = [...scope.keys()].map((name) => {
    const text = allOf(find(name, [scope]));
    return text === "" ? `${name}={{${name}}};` : `{{#${name}}}${text}{{/${name}}}`;
  });
  return parts.join("");
}

/** Returns the names in a scope and in its inner scopes, with the types of their values. */
function shapeOf(value: Value): unknown {
  if (Array.isArray(value)) return value.length === 0 ? "none" : shapeOf(value[0]);
  return value instanceof Map
    ? Object.fromEntries([...value.keys()].map((name) => [name, shapeOf(find(name, [value]))]))
    : typeof value;
}

test("for any feed, the names of a template are known before the first run, with the types of their values", () => {
  fc.assert(
    fc.property(roundsArbitrary, ({ config: any, rounds }) => {
      const nodes = listNodes(any);
      const names = viewOf(nodes);
      const view = viewOf(nodes, play(any, rounds).feed);
      const withoutEmpty = (shape: unknown, known: unknown): unknown =>
        shape === "none" || shape === "undefined"
          ? known
          : typeof shape === "object" && shape !== null && typeof known === "object" && known !== null
            ? Object.fromEntries(
                Object.entries(shape).map(([name, inner]) => [
                  name,
                  withoutEmpty(inner, new Map(Object.entries(known)).get(name)),
                ]),
              )
            : shape;
      expect(withoutEmpty(shapeOf(view), shapeOf(names))).toEqual(shapeOf(names));
    }),
    { numRuns: trials(20) },
  );
});

describe("values are escaped for the kind of file", () => {
  const label = fc
    .string({ unit: "binary", minLength: 1, maxLength: 30 })
    .filter((text) => text.trim() !== "" && !hasInvisible(text));
  const special = fc.constantFrom(`"'\\`, "\\u0041", "{{x}}", "]]>", "<!--", "&amp;", "a: b #", "${x}");
  const hard = fc.oneof(label, special);

  const firstOf = (file: string): unknown => (JSON.parse(file) as unknown[])[0];

  /** Renders a template for a feed whose first mirror has this name. */
  function fileFor(name: string, path: string, text: string): string {
    const named = configOf();
    Object.assign(targetsOf(named.systems)[0]?.network[0] ?? {}, { name });
    return compile(inTarget(text), path, named)(play(named, [{ at: noon }]).feed);
  }

  test.each<[string, string, (file: string) => unknown]>([
    ["a.json", '["{{best.name}}"]', firstOf],
    ["a.yaml", '- "{{best.name}}"', (file) => (parseYaml(file) as unknown[])[0]],
    ["a.YML", 'a: ["{{best.name}}"]', (file) => (parseYaml(file) as { a: unknown[] }).a[0]],
    ["a.yaml", `- '["{{best.name}}"]'`, (file) => firstOf((parseYaml(file) as string[])[0] ?? "")],
    ["a.xml", "<a>{{best.name}}</a>", (file) => parseXml(file).root?.text],
    ["a.rss", "<a b='{{best.name}}'/>", (file) => attributeOf(file)],
    ["a.xml", `<a c="it's > 1" b="{{best.name}}"/>`, (file) => attributeOf(file)],
    ["a.txt", "{{best.name}}", (file) => file],
    ["NAME", "{{best.name}}", (file) => file],
  ])("in %s, where any name is read as it is", (path, text, read) => {
    fc.assert(
      fc.property(hard, (name) => {
        expect(read(fileFor(name, path, text))).toBe(name);
      }),
      { numRuns: trials(50) },
    );
  });

  function attributeOf(file: string): string | undefined {
    const { root } = parseXml(file);
    return root instanceof XmlElement ? root.attributes["b"] : undefined;
  }
});

describe("a template is refused", () => {
  const url = "{{best.url}}";
  const unquoted = "{{best.url}} must be in double quotes or, in XML, between tags or in a quoted attribute.";

  test.each<[string, string, string, string?]>([
    ["a triple tag", inTarget("\n{{{best.url}}}"), "line 2: only {{NAME}},"],
    ["an ampersand", inTarget("{{& best.url}}"), "line 1: only {{NAME}},"],
    ["other delimiters", "\n\n{{=<% %>=}}", "line 3: only {{NAME}},"],
    ["delimiters that are none", "{{=<%=}}", "line 1: invalid tags"],
    ["a partial", "{{ > other }}", "line 1: only {{NAME}},"],
    ["a tag that is not closed", "a\n{{#s/p/t}}\n{{best.url", "line 3: unclosed tag; end every tag with }}"],
    ["a section that is not closed", "{{#s/p/t}}\n\n", 'line 3: unclosed section "s/p/t"'],
    ["sections that cross", "{{#s/p/t}}{{#best}}\n{{/s/p/t}}{{/best}}", 'line 2: unclosed section "best"'],
    ["a section that is not open", "a\n{{/s/p/t}}", 'line 2: unopened section "s/p/t"'],
    ["another target", "{{#s/p/tt}}{{/s/p/tt}}", '"s/p/tt" is unknown here; write s/p/t.'],
    ["a name at the wrong place", url, "is unknown here; write one of targets, s/p/t, s/p/u, s/q/t, z/p/t."],
    ["a misspelt name", inTarget("{{#best}}{{ulr}}{{/best}}"), '"ulr" is unknown here; write url.'],
    ["a name in an empty section", inTarget("{{#differs}}{{nothing}}{{/differs}}"), '"nothing" is unknown'],
    ["a name in an inverted section", inTarget("{{^best}}{{url}}{{/best}}"), '"url" is unknown'],
    ["a country without a mirror", inTarget("{{country/us.best.url}}"), '"country/us.best.url" is unknown'],
    ["a name of JavaScript", inTarget("{{constructor}}"), '"constructor" is unknown'],
    ["the member of a text", inTarget("{{best.url.length}}"), '"best.url.length" is unknown'],
    ["the section itself", inTarget("{{.}}"), '"." is unknown'],
    ["a mirror in place of a text", inTarget("{{best}}"), '"best" is a section'],
    ["a list in place of a text", inTarget("{{online}}"), '"online" is a section'],
    ["text without quotes", inTarget(`\n- "a" # ${url}`), `line 2: ${unquoted}`, "a.yml"],
    ["text in single quotes", inTarget(`a = '${url}'`), unquoted, "a.toml"],
    ["text after an escaped quote", inTarget(`["\\"", ${url}]`), unquoted, "a.json"],
    ["an attribute without quotes", inTarget(`<a b="it's" c=${url}/>`), unquoted, "a.xml"],
    ["text in a comment", inTarget(`<a><!-- ${url} --></a>`), unquoted, "a.xml"],
    ["text in CDATA", inTarget(`<a><![CDATA[<b/>${url}]]></a>`), unquoted, "a.xml"],
    ["text in a plain scalar", inTarget(`{a: b "${url}"}`), unquoted, "a.yaml"],
    ["text after the head of a block", inTarget(`a: | "${url}"`), unquoted, "a.yaml"],
    ["text in a literal string", inTarget(`a='''x" ${url}'''`), unquoted, "a.toml"],
    ["the name of an element", inTarget(`</${url}>`), unquoted, "a.xml"],
    ["a page in XML", `<html xmlns="http://www.w3.org/1999/xhtml"/>`, "could become a page", "a.xml"],
    ["a stylesheet of XML", `<?xml-stylesheet href="a.xsl"?>`, "could become a page", "a.xml"],
  ])("for %s", (_, text, message, path = "a.txt") => {
    const checking = (): void => {
      compile(text, path);
    };
    expect(checking).toThrow(InputError);
    expect(checking).toThrow(message);
    expect(checking).toThrow(`"public/${path}.mustache"`);
  });

  test.each([
    ...["a.sh", "a.MJS", "a.html", "a.shtml", "a.xhtml", "a.svg", "a.xsl", "a.css", "a.vue", "a.hta"],
    ...["a.jsx", "a.wasm", "a.service", "a.vbs", "a.awk", "a.jsonc", "a.json5", "a.new"],
    ...["Makefile", "a/Dockerfile"],
  ])("for a browser, shell or other program: %s", (path) => {
    expect(() => {
      compile("", path);
    }).toThrow("could become a page, a picture or a program");
  });

  test("in XML, not for text after a comment, CDATA or doctype", () => {
    const head = `<?xml version="1.0"?><!DOCTYPE a "b">`;
    const element = `<a><!-- "<" --><![CDATA[<b c="]]>${url}<b c='"' d="${url}"/></a>`;
    compile(inTarget(`${head}${element}`), "a.xml");
  });

  test("in JSON, YAML and TOML, not for numbers and sections outside of quotes", () => {
    const mirror = String.raw`{"\"{{url}}": {{rank}}, "last": {{last}}}{{^last}},{{/last}}`;
    for (const path of ["a.json", "a.yaml", "a.toml"])
      compile(inTarget(`{{#ranked}}${mirror}{{/ranked}}`), path);
  });
});
