import * as z from "zod";
import { InputError } from "../../base/errors.ts";
import { hasVariable, type ListEntry, type ListFormat } from "./list-format.ts";
import { parseYamlList, type YamlItem, yamlText } from "../yaml.ts";

const endpoint = z.looseObject({
  url: z.string(),
  name: yamlText,
  group: yamlText,
  enabled: z.unknown().optional(),
  dns: z.unknown().optional(),
});

/** The configuration of Gatus: its `endpoints`, if they are checked over HTTP. A name is `group/name`, as Gatus shows it. */
export const gatus: ListFormat = {
  title: "the configuration of Gatus",
  probe: () => ({ kind: "http" }),
  isLike: (_, text) => /^["']?endpoints["']?[ \t]*:/m.test(text),
  parse: (text, file) => {
    const items = parseYamlList(text, "endpoints", file);
    if (items === undefined)
      throw new InputError(`${file} has no list "endpoints"; name the configuration of Gatus.`);
    return items.map(entryOf);
  },
};

function entryOf({ line, value }: YamlItem): ListEntry {
  const { data } = endpoint.safeParse(value);
  if (data === undefined) return { line, omitted: "it has no URL" };
  if (hasVariable(data.url)) return { line, omitted: "its URL has a variable, whose value is not known" };
  const { url, name, group, enabled, dns } = data;
  if (enabled === false) return { line, omitted: "it is not enabled" };
  if (dns !== undefined) return { line, omitted: "it is checked over DNS; only http and https are probed" };
  return { line, url, name: group === undefined || name === undefined ? name : `${group}/${name}` };
}
