import type { OpenapiDocument } from "../../openapi/openapi.ts";

/** Returns the anchor of a group of operations. */
export function groupAnchor(tag: string): string {
  return tag.toLowerCase().replaceAll(" ", "-");
}

/** Renders the table of contents of the page. */
export function contents({ paths, tags: groups, components }: OpenapiDocument): preact.JSX.Element {
  const operations = Object.values(paths).map(({ get }) => get);
  return (
    <nav class="docs-contents" aria-label="On this page">
      <ul>
        {entry("scripts", "From a script")}
        {entry("age", "How old the feed is")}
        {entry("statuses", "What a status means")}
        {groups.map(({ name }) => {
          const own = operations.filter(({ tags: [tag] }) => tag === name);
          const below = own.map(({ operationId, summary }) => entry(operationId, summary));
          return entry(groupAnchor(name), name, below);
        })}
        {entry("names", "Names in paths")}
        {entry("answers", "Errors and redirects")}
        {entry(
          "fields",
          "Fields",
          Object.keys(components.schemas).map((name) => entry(name, name)),
        )}
      </ul>
    </nav>
  );
}

function entry(anchor: string, text: string, below?: readonly preact.JSX.Element[]): preact.JSX.Element {
  return (
    <li>
      <a href={`#${anchor}`}>{text}</a>
      {below && <ul>{below}</ul>}
    </li>
  );
}
