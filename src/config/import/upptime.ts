import * as z from "zod";
import { InputError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { hasVariable, type ListEntry, type ListFormat } from "./list-format.ts";
import { parseYamlList, type YamlItem, yamlText } from "../yaml.ts";

const site = z.looseObject({
  url: z.string(),
  name: yamlText,
  check: z.unknown().optional(),
});

/** The configuration of Upptime: its `sites`, if they are checked over HTTP. */
export const upptime: ListFormat = {
  title: "the configuration of Upptime",
  probe: () => ({ kind: "http" }),
  isLike: (fileName, text) => /^\.upptimerc\.ya?ml$/.test(fileName) || /^["']?sites["']?[ \t]*:/m.test(text),
  parse: (text, file) => {
    const items = parseYamlList(text, "sites", file);
    if (items === undefined)
      throw new InputError(`${file} has no list "sites"; name the .upptimerc.yml of Upptime.`);
    return items.map(entryOf);
  },
};

function entryOf({ line, value }: YamlItem): ListEntry {
  const { data } = site.safeParse(value);
  if (data === undefined) return { line, omitted: "it has no URL" };
  if (hasVariable(data.url)) return { line, omitted: "its URL has a variable, whose value is not known" };
  const { url, name, check = "http" } = data;
  if (check !== "http")
    return { line, omitted: `its check is ${quote(String(check))}; only http and https are probed` };
  return { line, url, name };
}
