import { componentName, type Content, type Response, type Schema } from "../components.ts";
import type { OpenapiDocument, Operation } from "../openapi.ts";
import { link } from "../../layout/page-feed.ts";
import { joined } from "../../layout/parts.tsx";
import { typeOf } from "./field-list.tsx";
import { bodyText, type Documentation, Prose } from "./prose.tsx";

/** Responses with more lines are folded. */
const maxLines = 8;

export function groupAnchor(tag: string): string {
  return tag.toLowerCase().replaceAll(" ", "-");
}

export function operationGroups(reference: Documentation) {
  const { tags, paths } = reference.description;
  return (
    <>
      {tags.map(({ name, description }) => (
        <section aria-labelledby={groupAnchor(name)}>
          <h2 id={groupAnchor(name)}>{name}</h2>
          <p>
            <Prose text={description} />
          </p>
          {Object.entries(paths)
            .filter(([, { get }]) => get.tags[0] === name)
            .map(([path, { get }]) => operationOf(reference, path, get))}
        </section>
      ))}
    </>
  );
}

function operationOf(reference: Documentation, path: string, operation: Operation) {
  const { operationId, summary, description, responses } = operation;
  const parameters = parametersOf(reference, operation);
  const requested = requestedPath(path, parameters, responses);
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
        <a href={link(reference, requested)} aria-label={`Open ${requested}`}>
          Open
        </a>
      </p>
      {description !== undefined && (
        <p>
          <Prose text={description} />
        </p>
      )}
      <dl class="docs-answers">
        {Object.entries(responses).map(([code, response]) => responseRow(code, response))}
      </dl>
      <p class="quiet">
        {parameters.length > 0 && ["Names: ", joined(parameters.map(nameLink), ", "), ". "]}
        Other responses: {joined(Object.entries(responses).flatMap(sharedLink), ", ")}.
      </p>
      {exampleOf(reference, requested, responses)}
    </article>
  );
}

type Answer = Operation["responses"][string];
type Parameter = OpenapiDocument["components"]["parameters"][string];

/** Returns an operation's parameters, with examples that exist together. */
function parametersOf({ description }: Documentation, { parameters = [] }: Operation): Parameter[] {
  const shared = description.components.parameters;
  return parameters.flatMap((one) => ("$ref" in one ? (shared[componentName(one.$ref)] ?? []) : one));
}

/**
 * Links a name in a path to its explanation. Names, errors and redirects are explained only once, for all operations.
 */
function nameLink({ name }: Parameter) {
  return (
    <a href={`#name-${name}`}>
      <var>{`{${name}}`}</var>
    </a>
  );
}

function sharedLink([code, response]: [string, Answer]) {
  if (!("$ref" in response)) return [];
  return [
    <a href={`#${componentName(response.$ref)}`}>
      <code>{code}</code>
    </a>,
  ];
}

function responseRow(code: string, response: Answer) {
  if ("$ref" in response) return null;
  return (
    <div>
      <dt>
        <code>{code}</code>
      </dt>
      {Object.entries(response.content ?? {}).map(([type, { schema }]) => (
        <dd>
          {schema.description ?? typeOf(schema)}, <code>{type}</code>
        </dd>
      ))}
    </div>
  );
}

/**
 * Returns an example path. Adds a slash at the end if some hosts would otherwise redirect, or send the JSON as a page.
 */
function requestedPath(
  path: string,
  parameters: readonly Parameter[],
  responses: Operation["responses"],
): string {
  const isFolder = "301" in responses || contentsOf(responses["200"]).length > 1;
  const examples = new Map(parameters.map(({ name, example }) => [name, example]));
  const requested = path.replace(/\{(\w+)\}/g, (_, name: string) => `${examples.get(name)}`);
  return `${requested}${isFolder ? "/" : ""}`;
}

function exampleOf({ url, top }: Documentation, path: string, responses: Operation["responses"]) {
  const [[type, content] = []] = contentsOf(responses["200"]);
  const [example] = Object.values(content?.examples ?? {});
  const isPicture = type === "image/svg+xml";
  return (
    <div class="docs-example">
      <pre class="docs-line">
        <code data-copy>{`curl ${url}${path}`}</code>
      </pre>
      {isPicture && <img src={link({ top }, path)} alt={`The current badge at ${path}`} height={20} />}
      {example !== undefined && !isPicture && bodyOf(example.value)}
    </div>
  );
}

function bodyOf(value: unknown) {
  const text = bodyText(value);
  const body = <pre class="docs-body-text">{text}</pre>;
  const lines = text.split("\n").length;
  if (lines <= maxLines) return body;
  return (
    <details>
      <summary>Response, {lines} lines</summary>
      {body}
    </details>
  );
}

function contentsOf(
  response: Response | { readonly $ref: string } | undefined,
): [type: string, content: Content][] {
  return Object.entries(response !== undefined && "content" in response ? (response.content ?? {}) : {});
}

export function pathNames({ components }: OpenapiDocument) {
  return (
    <section aria-labelledby="names">
      <h2 id="names">Names in paths</h2>
      <dl class="docs-names">
        {Object.entries(components.parameters).map(([name, parameter]) => (
          <div>
            <dt id={`name-${name}`}>
              <var>{`{${name}}`}</var>
            </dt>
            <dd>
              {parameter.description} {valuesOf(parameter.schema)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function valuesOf(schema: Schema) {
  const { enum: values, pattern } = schema;
  if (values === undefined) {
    return (
      <>
        Pattern: <code>{pattern}</code>.
      </>
    );
  }
  return (
    <span class="docs-values">{values.map((value, index) => [index > 0 && " ", <code>{value}</code>])}</span>
  );
}

export function sharedResponses({ components }: OpenapiDocument) {
  return (
    <section aria-labelledby="answers">
      <h2 id="answers">Errors and redirects</h2>
      {Object.entries(components.responses).map(([name, response]) => (
        <article class="docs-operation" aria-labelledby={name}>
          <h3 id={name}>{name}</h3>
          <p>
            <Prose text={response.description} />
          </p>
          {Object.entries(response.content ?? {}).map(([type, { examples = {} }]) => (
            <pre class="docs-body-text">
              {[type, ...Object.values(examples).map(({ value }) => bodyText(value))].join("\n")}
            </pre>
          ))}
        </article>
      ))}
    </section>
  );
}
