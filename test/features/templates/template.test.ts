import { parseXml, XmlElement } from "@rgrove/parse-xml";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { InputError } from "../../../src/core/base/errors.ts";
import { hasInvisible } from "../../../src/core/base/text/quote.ts";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { type Feed, targetsOf } from "../../../src/core/feed/feed.ts";
import { checkTemplate, renderTemplates } from "../../../src/features/templates/template.ts";
import {
  isList,
  isScope,
  namesOf,
  type Scope,
  type Value,
  viewOf,
} from "../../../src/features/templates/view.ts";
import {
  configOf,
  except,
  minute,
  noon,
  play,
  roundsArbitrary,
  step,
  textsOf,
} from "../../support/playing.ts";
import { trials } from "../../support/trials.ts";

const config = configOf();
const [first, second, third] = targetsOf(config.systems)[0]?.network ?? [];
Object.assign(first ?? {}, { country: "FR" });
Object.assign(second ?? {}, { name: `<b> & "q" 'a' \\ # ]` });
Object.assign(third ?? {}, { country: "DE" });
const { feed } = play(config, [{ at: noon, vantages: except({ 2: "timeout" }) }]);

function render(text: string, path = "a.txt", of: Feed = feed): string {
  return textsOf(renderTemplates(of, [{ path, text }])).get(path) ?? "";
}

function check(text: string, path = "a.txt", of: Config = config): void {
  checkTemplate({ path, text }, `public/${path}.mustache`, listNodes(of));
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
    [
      "nothing for a state that no mirror has",
      "{{#behind}}{{id}}{{/behind}}{{^behind}}none{{/behind}}",
      "none",
    ],
    ["whether a mirror has a state", "{{#ranked}}{{^online}}{{id}}{{/online}}{{/ranked}}", "2"],
    [
      "the best mirror for a country",
      "{{country/de.best.id}}{{#country/fr}}{{best.id}}{{/country/fr}}",
      "31",
    ],
    [
      "the fields of a mirror",
      "{{#best}}{{name}} {{host}} {{country}} {{state}} {{primary}}{{/best}}",
      "m1.example.org/a/b m1.example.org FR online true",
    ],
    ["nothing for a country that a mirror lacks", "{{#offline}}[{{country}}]{{/offline}}", "[]"],
    ["what is outside of a section", "{{#best}}{{path}}{{/best}}", "s/p/t"],
    ["what a comment does not say", "{{! best.nothing }}x", "x"],
  ])("has %s", (_, text, expected) => {
    check(inTarget(text));
    expect(render(inTarget(text))).toBe(expected);
  });

  test("has every target by its path and in a list", () => {
    const text = "{{z/p/t.best.id}}: {{#targets}}{{path}}{{^last}}, {{/last}}{{/targets}}";
    check(text);
    expect(render(text)).toBe("8: s/p/t, s/p/u, s/q/t, z/p/t");
  });

  test("finds targets with dots in their names, the longest name first", () => {
    const dotted = configOf();
    const targets = targetsOf(dotted.systems);
    for (const [index, name] of ["v1", "v1.best", "v1.0.x"].entries())
      Object.assign(targets[index] ?? {}, { target: name });
    const text = "{{#s/p/v1}}{{best.id}}{{/s/p/v1}} {{s/p/v1.best.best.id}} {{s/q/v1.0.x.best.id}}";
    check(text, "a.txt", dotted);
    expect(render(text, "a.txt", play(dotted, [{ at: noon }]).feed)).toBe("1 4 6");
  });

  test("stays the same while nothing changes", () => {
    const text = `{{#targets}}${allOf(namesOf(listNodes(config)).get("targets"))}{{/targets}}`;
    check(text);
    let played = play(config, [{ at: noon }]);
    const before = render(text, "a.txt", played.feed);
    for (let run = 1; run <= 3; run += 1) played = step(config, played, { at: noon + run * 30 * minute });
    expect(before).toContain("m3.example.org");
    expect(render(text, "a.txt", played.feed)).toBe(before);
  });
});

/** Returns a template that uses every name in a scope and in its inner scopes. */
function allOf(value: Value | (() => Value)): string {
  const plain = typeof value === "function" ? value() : value;
  const scope = isList(plain) ? plain[0] : plain;
  if (!isScope(scope)) return "";
  return [...scope]
    .map(([name, inner]) => {
      const text = allOf(inner);
      return text === "" ? `${name}={{${name}}};` : `{{#${name}}}${text}{{/${name}}}`;
    })
    .join("");
}

/** Returns the names in a scope and in its inner scopes, with the types of their values. */
function shapeOf(value: Value | (() => Value), depth = 0): unknown {
  const plain = typeof value === "function" ? value() : value;
  if (isList(plain)) return plain.length === 0 ? "none" : plain.map((one) => shapeOf(one, depth))[0];
  return isScope(plain)
    ? Object.fromEntries([...plain].map(([name, inner]) => [name, shapeOf(inner, depth + 1)]))
    : typeof plain;
}

test("for any feed, the names of a template are known before the first run, with the types of their values", () => {
  fc.assert(
    fc.property(roundsArbitrary, ({ config: any, rounds }) => {
      const nodes = listNodes(any);
      const names: Scope = namesOf(nodes);
      const view = viewOf(play(any, rounds).feed);
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
  const hard = fc.oneof(
    label,
    fc.constantFrom(`"'\\`, "\\u0041", "{{x}}", "]]>", "<!--", "&amp;", "a: b #", "${x}"),
  );

  /** Renders a template for a feed whose first mirror has this name. */
  function fileFor(name: string, path: string, text: string): string {
    const named = configOf();
    Object.assign(targetsOf(named.systems)[0]?.network[0] ?? {}, { name });
    check(inTarget(text), path, named);
    return render(inTarget(text), path, play(named, [{ at: noon }]).feed);
  }

  test.each<[string, string, (file: string) => unknown]>([
    ["a.json", '["{{best.name}}"]', (file) => (JSON.parse(file) as unknown[])[0]],
    ["a.yaml", '- "{{best.name}}"', (file) => (parseYaml(file) as unknown[])[0]],
    ["a.YML", 'a: ["{{best.name}}"]', (file) => (parseYaml(file) as { a: unknown[] }).a[0]],
    ["a.geojson", '["{{best.name}}"]', (file) => (JSON.parse(file) as unknown[])[0]],
    [
      "a.yaml",
      `- '["{{best.name}}"]'`,
      (file) => (JSON.parse((parseYaml(file) as string[])[0] ?? "") as unknown[])[0],
    ],
    ["a.xml", "<a>{{best.name}}</a>", (file) => parseXml(file).root?.text],
    ["a.svg", "<a b='{{best.name}}'/>", (file) => attributeOf(file)],
    ["a.html", '<a b="{{best.name}}"/>', (file) => attributeOf(file)],
    ["a.shtml", `<a c="it's > 1" b="{{best.name}}"/>`, (file) => attributeOf(file)],
    ["a.html", "<a><script>1</script>{{best.name}}</a>", (file) => parseXml(file).root?.text.slice(1)],
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

  test.each([
    [
      "a triple tag",
      inTarget("\n{{{best.url}}}"),
      "a.txt",
      "line 2: this tag would write a value unescaped; write {{name}}, ",
    ],
    ["an ampersand", inTarget("{{& best.url}}"), "a.txt", "line 1: this tag would write a value unescaped"],
    [
      "a brace before a tag",
      inTarget('{{{#best}}"a":1{{/best}}}'),
      "a.json",
      "write {{name}}, or { {{name}} for a brace before the value.",
    ],
    [
      "other delimiters",
      "\n\n{{=<% %>=}}",
      "a.txt",
      "line 3: a template cannot change the delimiters; keep {{ and }}.",
    ],
    ["delimiters that are none", "{{=<%=}}", "a.txt", "line 1: a template cannot change the delimiters"],
    [
      "a partial",
      "{{ > other }}",
      "a.txt",
      "line 1: a template cannot include another one; copy its text here.",
    ],
    [
      "a tag that is not closed",
      `a\n{{#s/p/t}}\n{{best.url\n{{/s/p/t`,
      "a.txt",
      "line 3: unclosed tag; end every tag with }}",
    ],
    [
      "a section that is not closed",
      "{{#s/p/t}}\n\n",
      "a.txt",
      'line 3: unclosed section "s/p/t"; end every tag with }}, and every section with {{/NAME}}.',
    ],
    [
      "sections that cross",
      "{{#s/p/t}}{{#best}}\n{{/s/p/t}}{{/best}}",
      "a.txt",
      'line 2: unclosed section "best"',
    ],
    ["a section that is not open", "a\n{{/s/p/t}}", "a.txt", 'line 2: unopened section "s/p/t"'],
    [
      "another target",
      "\n{{#s/p/tt}}{{/s/p/tt}}",
      "a.txt",
      'line 2: "s/p/tt" is unknown here; did you mean s/p/t?',
    ],
    [
      "a name at the wrong place",
      url,
      "a.txt",
      'line 1: "best.url" is unknown here; the known names are targets, s/p/t, s/p/u, s/q/t, z/p/t.',
    ],
    [
      "a misspelt name",
      inTarget("{{#best}}\n{{ulr}}{{/best}}"),
      "a.txt",
      'line 2: "ulr" is unknown here; did you mean url?',
    ],
    [
      "a misspelt name after a dot",
      inTarget("{{best.nmae}}"),
      "a.txt",
      '"best.nmae" is unknown here; did you mean best.name?',
    ],
    [
      "a name in a section that may be empty",
      inTarget("{{#differs}}{{nothing}}{{/differs}}"),
      "a.txt",
      '"nothing" is unknown here',
    ],
    [
      "a name in an inverted section",
      inTarget("{{^best}}{{url}}{{/best}}"),
      "a.txt",
      '"url" is unknown here',
    ],
    [
      "a country without a mirror",
      inTarget("{{country/us.best.url}}"),
      "a.txt",
      '"country/us.best.url" is unknown here',
    ],
    ["a name of JavaScript", inTarget("{{constructor}}"), "a.txt", '"constructor" is unknown here'],
    ["the member of a text", inTarget("{{best.url.length}}"), "a.txt", '"best.url.length" is unknown here'],
    ["the section itself", inTarget("{{.}}"), "a.txt", '"." is unknown here'],
    [
      "a mirror in place of a text",
      inTarget("{{best}}"),
      "a.txt",
      '"best" is a section, not a value; write {{#best}}{{NAME}}{{/best}}, where NAME is the name of one of its values.',
    ],
    [
      "a list in place of a text",
      inTarget("{{online}}"),
      "a.txt",
      '"online" is a section, not a value; write {{#online}}{{NAME}}{{/online}}, where NAME is the name of one of its values.',
    ],
    [
      "text without quotes in YAML",
      inTarget(`\n- "a" # ${url}`),
      "a.yml",
      'line 2: {{best.url}} is not between double quotes; write "{{best.url}}".',
    ],
    ["text in single quotes in TOML", inTarget(`\na = '${url}'`), "a.toml", "is not between double quotes"],
    [
      "text after an escaped quote in JSON",
      inTarget(`["\\"", ${url}]`),
      "a.json",
      "is not between double quotes",
    ],
    [
      "a shell script",
      inTarget(url),
      "a.sh",
      '"public/a.sh.mustache" would become a script; make it a data file, such as .json, and let a script read that.',
    ],
    ["JavaScript", inTarget(url), "a.MJS", "would become a script"],
    [
      "an attribute without quotes",
      inTarget(`<img alt="it's" title={{best.name}}>`),
      "a.html",
      'line 1: {{best.name}} is in a tag, but not between quotes; write "{{best.name}}".',
    ],
    ["the name of an element", inTarget("</{{best.name}}>"), "a.xml", "is in a tag, but not between quotes"],
    [
      "a script in a page",
      inTarget(`<script src="a.js"></script>\n<SCRIPT>x = "${url}"</SCRIPT>`),
      "a.html",
      'line 2: {{best.url}} is in a script or a style; put it in an attribute, such as data-url="{{best.url}}", and let a script read that.',
    ],
    ["a style", inTarget(`<style>a { background: url("${url}") }</style>`), "a.svg", "or a style;"],
    ["an event handler", inTarget(`<a onclick="f('${url}')">`), "a.html", "is in a script or a style"],
  ])("for %s", (_, text, path, message) => {
    const checking = (): void => {
      check(text, path);
    };
    expect(checking).toThrow(InputError);
    expect(checking).toThrow(message);
    expect(checking).toThrow(`"public/${path}.mustache"`);
  });

  test("in JSON, YAML and TOML, not for numbers and sections outside of quotes", () => {
    for (const path of ["a.json", "a.yaml", "a.toml"])
      check(
        inTarget('{{#ranked}}{"\\"{{url}}": {{rank}}, "last": {{last}}}{{^last}},{{/last}}{{/ranked}}'),
        path,
      );
  });

  test("with at most 25 names that it could use", () => {
    const large = configOf();
    const target = targetsOf(large.systems)[0];
    const [system] = large.systems;
    const more = Array.from({ length: 40 }, (_, index) => ({ ...target, target: `target-number-${index}` }));
    Object.assign(system?.projects[0] ?? {}, { targets: more });
    expect(() => {
      check("{{nothing}}", "a.txt", large);
    }).toThrow(
      /the known names are targets, s\/p\/target-number-0, .*, s\/p\/target-number-23 and 18 more\.$/,
    );
  });
});
