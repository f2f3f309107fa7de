import { componentName, type Schema } from "../components.ts";
import type { OpenapiDocument } from "../openapi.ts";
import { TableHead } from "../../layout/parts.tsx";

interface Field {
  /** The field's name or, in inlined objects, a path such as `nodes[].today.ok`. */
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
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
  const fields = fieldsOf(schema, "");
  if (fields.length === 0) {
    return (
      <p>
        One of {typeOf(schema)}. <a href="#statuses">What each code means</a>.
      </p>
    );
  }
  return (
    <table class="docs-fields">
      <TableHead titles={["Field", "Type", "Description"]} />
      <tbody>
        {fields.map(({ path, schema: own, isRequired }) => (
          <tr>
            <th scope="row">
              <code>{path}</code>
            </th>
            <td>
              {typeOf(own)}
              {!isRequired && <small>, optional</small>}
            </td>
            <td>
              <Prose text={own.description ?? ""} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function typeOf(schema: Schema): preact.JSX.Element {
  const { $ref, type, items, anyOf, const: only, format } = schema;
  // The schema lists the known values of a string as examples, not as an enum, since later feeds can have more values.
  const values = schema.enum ?? (type === "string" ? schema.examples : undefined);
  if ($ref !== undefined) return <a href={`#${componentName($ref)}`}>{componentName($ref)}</a>;
  const item = asSchema(items);
  if (item !== undefined) return <>list of {typeOf(item)}</>;
  if (anyOf !== undefined) return either(anyOf.map(typeOf));
  if (only !== undefined) return <code>{JSON.stringify(only)}</code>;
  if (values !== undefined) return either(values.map((value) => <code>{String(value)}</code>));
  return <>{formatWords[format ?? ""] ?? (type === "string" ? "text" : type)}</>;
}

const formatWords: Readonly<Record<string, string>> = { "date-time": "timestamp", date: "date", uri: "URL" };

function either(types: readonly preact.JSX.Element[]) {
  return <>{types.map((type, index) => [index > 0 && (index === types.length - 1 ? " or " : ", "), type])}</>;
}

function fieldsOf({ properties = {}, required = [] }: Schema, above: string): Field[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const schema = asSchema(property);
    if (schema === undefined) return [];
    const path = `${above}${name}`;
    const item = asSchema(schema.items);
    return [
      { path, schema, isRequired: required.includes(name) },
      ...fieldsOf(schema, `${path}.`),
      ...(item === undefined ? [] : fieldsOf(item, `${path}[].`)),
    ];
  });
}

export function Prose({ text }: { readonly text: string }) {
  const parts = text.split("`");
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>;
}

function asSchema(value: Schema["items"]): Schema | undefined {
  return typeof value === "object" && !Array.isArray(value) ? value : undefined;
}
