import { link, type SitePage } from "../../layout/page-feed.ts";
import { joined, TableHead } from "../../layout/parts.tsx";
import { examplePath, type OpenapiDocument, type Operation } from "../openapi.ts";
import type { Schema } from "../operations.ts";

export function groupAnchor(tag: string): string {
  return tag.toLowerCase().replaceAll(" ", "-");
}

export function operationGroups(page: SitePage, description: OpenapiDocument) {
  const operations = Object.entries(description.paths);
  return description.tags.map((tag) => (
    <section aria-labelledby={groupAnchor(tag.name)}>
      <h2 id={groupAnchor(tag.name)}>{tag.name}</h2>
      <p>
        <Prose text={tag.description} />
      </p>
      {operations
        .filter(([, { get }]) => get.tags.includes(tag.name))
        .map(([path, { get }]) => operationArticle(page, path, get))}
    </section>
  ));
}

function operationArticle(page: SitePage, path: string, operation: Operation) {
  const { operationId, summary, description, parameters, responses } = operation;
  const example = examplePath(path, parameters);
  const isSure = parameters.length > 0 || !("404" in responses);
  return (
    <article class="docs-operation" aria-labelledby={operationId}>
      <h3 id={operationId}>
        <a href={`#${operationId}`}>{summary}</a>
      </h3>
      <p class="docs-path">
        <b>GET</b>{" "}
        <code>
          {path.split(/(\{\w+\})/).map((part, index) => (index % 2 === 1 ? <var>{part}</var> : part))}
        </code>{" "}
        {isSure && (
          <a href={link(page, example)} aria-label={`Open ${example}`}>
            Open
          </a>
        )}
      </p>
      {description !== undefined && (
        <p>
          <Prose text={description} />
        </p>
      )}
      <dl class="docs-answers">
        {Object.entries(responses).map(([code, response]) => (
          <div>
            <dt>
              <code>{code}</code>
            </dt>
            {code === "200" ? (
              Object.entries(response.content ?? {}).map(([type, { schema }]) => (
                <dd>
                  {typeOf(schema)}, <code>{type}</code>
                </dd>
              ))
            ) : (
              <dd>{response.description}</dd>
            )}
          </div>
        ))}
      </dl>
    </article>
  );
}

export function fieldSection({ components }: OpenapiDocument) {
  return (
    <section aria-labelledby="fields">
      <h2 id="fields">Fields</h2>
      <p>
        Optional fields are marked. Timestamps are in UTC with milliseconds, such as{" "}
        <code>2026-03-10T12:00:00.000Z</code>.
      </p>
      {Object.entries(components.schemas).map(([name, schema]) => (
        <details class="docs-fold">
          <summary>
            <h3>{name}</h3>
          </summary>
          {/* Browsers unfold the element that a link leads to, but not if it is in the summary. */}
          <div id={name}>{fieldTable(schema)}</div>
        </details>
      ))}
    </section>
  );
}

function fieldTable(schema: Schema) {
  const rows = fieldRows(schema, "");
  if (rows.length === 0)
    return (
      <p>
        One of {typeOf(schema)}. <a href="#statuses">What each code means</a>.
      </p>
    );
  return (
    <table class="docs-fields">
      <TableHead titles={["Field", "Type", "Description"]} />
      <tbody>{rows}</tbody>
    </table>
  );
}

/** The fields of inlined objects have paths such as `nodes[].today.ok`. */
function fieldRows({ properties = {}, required = [] }: Schema, above: string): preact.JSX.Element[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const schema = asSchema(property);
    if (schema === undefined) return [];
    const path = `${above}${name}`;
    return [
      <tr>
        <th scope="row">
          <code>{path}</code>
        </th>
        <td>
          {typeOf(schema)}
          {!required.includes(name) && <small>, optional</small>}
        </td>
        <td>
          <Prose text={schema.description ?? ""} />
        </td>
      </tr>,
      ...fieldRows(schema, `${path}.`),
      ...fieldRows(asSchema(schema.items) ?? {}, `${path}[].`),
    ];
  });
}

function typeOf(schema: Schema): preact.JSX.Element {
  const { $ref, type, items, anyOf, const: only, format } = schema;
  // The schema lists the known values of a string as examples, not as an enum, since later feeds can have more values.
  const known = schema.enum ?? (type === "string" ? schema.examples : undefined);
  const values = known?.map((value) => <code>{String(value)}</code>);
  if ($ref !== undefined) return <a href={`#${nameOf($ref)}`}>{nameOf($ref)}</a>;
  const item = asSchema(items);
  if (item !== undefined) return <>list of {typeOf(item)}</>;
  if (anyOf !== undefined) return <>{joined(anyOf.map(typeOf), " or ")}</>;
  if (only !== undefined) return <code>{JSON.stringify(only)}</code>;
  if (values !== undefined) return <>{joined(values, ", ")}</>;
  return <>{formatWords[format ?? ""] ?? (type === "string" ? "text" : type)}</>;
}

const formatWords: Readonly<Record<string, string>> = { "date-time": "timestamp", date: "date", uri: "URL" };

export function Prose({ text }: { readonly text: string }) {
  const parts = text.split("`");
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>;
}

function nameOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

function asSchema(value: Schema["items"]): Schema | undefined {
  return typeof value === "object" && !Array.isArray(value) ? value : undefined;
}
