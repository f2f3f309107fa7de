import * as z from "zod";
import { InputError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { parseYamlList, yamlText } from "../yaml.ts";
import { hasVariable, type ListEntry, type ListFormat } from "./list-format.ts";

const endpoint = z.looseObject({
  url: z.string(),
  name: yamlText,
  group: yamlText,
  check: z.unknown().optional(),
  enabled: z.unknown().optional(),
  dns: z.unknown().optional(),
});

/** Endpoint keys that change the request or the expected answer, and have no counterpart in mirrors.json. */
const requestKeys = ["method", "body", "headers", "graphql", "client", "expectedStatusCodes", "conditions"];

function lostKeys(item: z.infer<typeof endpoint>): string[] {
  const isUsual = (key: string): boolean =>
    (key === "method" && /^get$/i.test(String(item[key]))) ||
    (key === "conditions" && JSON.stringify(item[key]) === '["[STATUS] == 200"]');
  return Object.keys(item).filter(
    (key) => (requestKeys.includes(key) || key.startsWith("__dangerous__")) && !isUsual(key),
  );
}

/** The `sites` that Upptime checks over HTTP. */
export const upptime: ListFormat = {
  title: "an Upptime configuration",
  probe: () => ({ kind: "http" }),
  isLike: (fileName, text) => /^\.upptimerc\.ya?ml$/.test(fileName) || /^["']?sites["']?[ \t]*:/m.test(text),
  parse: (text, file) =>
    entriesOf(text, "sites", file, "Upptime's .upptimerc.yml", ({ url, name, check = "http" }) =>
      check === "http"
        ? { url, name }
        : { omitted: `its check is ${quote(String(check))}; only http and https are probed` },
    ),
};

/** The `endpoints` that Gatus checks over HTTP, named `group/name` as in Gatus. */
export const gatus: ListFormat = {
  title: "a Gatus configuration",
  probe: () => ({ kind: "http" }),
  isLike: (_, text) => /^["']?endpoints["']?[ \t]*:/m.test(text),
  parse: (text, file) =>
    entriesOf(text, "endpoints", file, "a Gatus configuration", ({ url, name, group, enabled, dns }) => {
      if (enabled === false) return { omitted: "it is disabled" };
      if (dns !== undefined) return { omitted: "it is checked over DNS; only http and https are probed" };
      return { url, name: group === undefined || name === undefined ? name : `${group}/${name}` };
    }),
};

/**
 * Reads a top-level list from a YAML file. If there is no such list, throws InputError, which suggests importing
 * `remedy` instead.
 */
function entriesOf(
  text: string,
  key: string,
  file: string,
  remedy: string,
  read: (item: z.infer<typeof endpoint>) => { url: string; name: string | undefined } | { omitted: string },
): ListEntry[] {
  const items = parseYamlList(text, key, file);
  if (items === undefined) throw new InputError(`${file} has no "${key}" list; import ${remedy} instead.`);
  return items.map(({ line, value }) => {
    const { data } = endpoint.safeParse(value);
    if (data === undefined) return { line, omitted: "it has no URL" };
    if (hasVariable(data.url))
      return { line, omitted: "its URL contains a variable, whose value is unknown" };
    return { line, lost: lostKeys(data), ...read(data) };
  });
}
