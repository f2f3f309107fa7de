import type { OpenapiDocument } from "../render/openapi/document.ts";

/** Returns the anchor of a group of operations. */
export function groupAnchor(tag: string): string {
  return tag.toLowerCase().replaceAll(" ", "-");
}

/** Renders the table of contents of the page. */
export function Contents({ description }: { readonly description: OpenapiDocument }): preact.JSX.Element {
  const operations = Object.values(description.paths).map(({ get }) => get);
  return (
    <nav class="docs-contents" aria-label="On this page">
      <ul>
        <li>
          <a href="#scripts">From a script</a>
        </li>
        <li>
          <a href="#age">How old the feed is</a>
        </li>
        <li>
          <a href="#statuses">What a status means</a>
        </li>
        {description.tags.map(({ name }) => (
          <li>
            <a href={`#${groupAnchor(name)}`}>{name}</a>
            <ul>
              {operations
                .filter(({ tags: [tag] }) => tag === name)
                .map(({ operationId, summary }) => (
                  <li>
                    <a href={`#${operationId}`}>{summary}</a>
                  </li>
                ))}
            </ul>
          </li>
        ))}
        <li>
          <a href="#names">Names in paths</a>
        </li>
        <li>
          <a href="#answers">Errors and redirects</a>
        </li>
        <li>
          <a href="#fields">Fields</a>
          <ul>
            {Object.keys(description.components.schemas).map((name) => (
              <li>
                <a href={`#${name}`}>{name}</a>
              </li>
            ))}
          </ul>
        </li>
      </ul>
    </nav>
  );
}
