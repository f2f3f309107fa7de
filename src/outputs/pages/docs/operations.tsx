import { componentName, type Content, type Response, type Schema } from "../../openapi/components.ts";
import type { OpenapiDocument, Operation } from "../../openapi/openapi.ts";
import { link } from "../page-feed.ts";
import { factRows } from "../parts.tsx";
import { typeOf } from "./fields.tsx";
import { bodyText, type Documentation, Prose } from "./prose.tsx";

/** A longer response is folded. */
const maxLines = 30;

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
  const { operationId, summary, description, parameters = [], responses } = operation;
  return (
    <article class="docs-operation" aria-labelledby={operationId}>
      <h3 id={operationId}>
        <a href={`#${operationId}`}>{summary}</a>
      </h3>
      <p class="docs-path">
        <b>GET</b>{" "}
        <code>
          {path.split(/(\{\w+\})/).map((part, index) => (index % 2 === 1 ? <var>{part}</var> : part))}
        </code>
      </p>
      {description !== undefined && (
        <p>
          <Prose text={description} />
        </p>
      )}
      <dl class="docs-answers">
        {factRows(
          parameters.map(({ $ref }) => {
            const name = componentName($ref);
            const term = (
              <a href={`#name-${name}`}>
                <var>{`{${name}}`}</var>
              </a>
            );
            return [term, reference.description.components.parameters[name]?.description];
          }),
        )}
        {Object.entries(responses).map(([code, response]) => responseRow(reference, code, response))}
      </dl>
      {exampleOf(reference, examplePath(reference, path), responses)}
    </article>
  );
}

function responseRow({ description }: Documentation, code: string, response: Operation["responses"][string]) {
  if ("$ref" in response) {
    const name = componentName(response.$ref);
    const term = (
      <a href={`#${name}`}>
        <code>{code}</code>
      </a>
    );
    return factRows([[term, description.components.responses[name]?.description]]);
  }
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

function exampleOf({ url, top }: Documentation, path: string, responses: Operation["responses"]) {
  const contents = contentsOf(responses["200"]);
  const [[type, content] = []] = contents;
  // With a slash at the end of the path, no host redirects or sends the JSON as a page.
  const requested = "301" in responses || contents.length > 1 ? `${path}/` : path;
  const [example] = Object.values(content?.examples ?? {});
  const isPicture = type === "image/svg+xml";
  return (
    <div class="docs-example">
      <pre class="docs-line">
        <code data-copy>{`curl ${url}${requested}`}</code>
      </pre>
      {isPicture && <img src={link({ top }, path)} alt={`The badge at ${path}, as it is now`} height={20} />}
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
      <summary>The response, {lines} lines</summary>
      {body}
    </details>
  );
}

function contentsOf(
  response: Response | { readonly $ref: string } | undefined,
): [type: string, content: Content][] {
  return Object.entries(response !== undefined && "content" in response ? (response.content ?? {}) : {});
}

function examplePath({ description }: Documentation, path: string): string {
  const { parameters } = description.components;
  return path.replace(/\{(\w+)\}/g, (braced, name: string) => String(parameters[name]?.example ?? braced));
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
