import { configJsonSchema } from "../../core/config/config-schema.ts";
import { renderConfig } from "../add/new-config.ts";
import { defaultKind } from "../../core/kinds/kinds.ts";
import { validateConfig } from "../../core/config/validate.ts";
import type { SiteFile } from "../../core/base/files/site-file.ts";
import type { Answers } from "./answers.ts";

export const ignoredPaths = ["_site/", ".mirrorfeed/", "mirrorfeed.key", "node_modules/"] as const;

/**
 * Returns mirrors.json and a copy of its schema, so that editors find the schema offline. Ids follow `usedId`. Throws
 * InputError if mirrors.json would not be valid.
 */
export function initFiles(answers: Answers, usedId = 0): SiteFile[] {
  const { kind, suite, mirrors, title, url, interval, host, control, allowPrivate } = answers;
  const network = mirrors.map((mirror, index) => ({ id: usedId + index + 1, url: mirror }));
  const primary = network.find((node) => node.url === answers.primary)?.id;
  const probe = {
    ...(allowPrivate ? { allowPrivate } : {}),
    ...(control.length === 0 ? {} : { controls: control }),
  };
  const text = renderConfig(
    answers,
    network,
    { primary, probe: kind === defaultKind ? undefined : { kind, [kind]: suite && { suite } } },
    {
      $schema: "./mirrors.schema.json",
      probe: Object.keys(probe).length === 0 ? undefined : probe,
      site: { title, url, interval, host: host.name },
    },
  );
  validateConfig(text, "The new mirrors.json");
  return [
    { path: "mirrors.json", content: text },
    { path: "mirrors.schema.json", content: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
  ];
}
