import { expect, test } from "vitest";
import type { Control } from "../../src/config/schema.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { configWarnings } from "../../src/config/warnings.ts";

function warningsOf(control: Control): string[] {
  const network = [{ id: 1, url: "https://git.example.org/a" }];
  const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
  const config = validateConfig(JSON.stringify({ systems, probe: { controls: [control] } }), "mirrors.json");
  return configWarnings(config, {}).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

test.each<[string, Control]>([
  ["over https", "https://example.org/"],
  ["over https with a text", { url: "https://example.org/", text: "Example Domain" }],
  ["over http with a text", { url: "http://example.org/", text: "Example Domain" }],
])("a control %s is worth no warning", (_, control) => {
  expect(warningsOf(control)).toEqual([]);
});

test("a control over http without a text is", () => {
  expect(warningsOf("http://example.org/")).toEqual([
    'probe.controls.0: "http://example.org/" proves nothing over HTTP without a text, since a captive portal answers too; use HTTPS, or write { "url": "http://example.org/", "text": "a text from the answer" }',
  ]);
});

test("a text that a login page may repeat from the URL is", () => {
  expect(warningsOf({ url: "http://example.org/success.txt", text: "success" })).toEqual([
    'probe.controls.0.text: "success" is also in the URL, which a captive portal may show on its login page; choose another text from the answer',
  ]);
});
