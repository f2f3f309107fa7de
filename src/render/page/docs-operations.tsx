import { componentName, type Content, type Operation, type Response } from "../openapi/document.ts";
import type { Documentation } from "./docs.tsx";
import { groupAnchor } from "./docs-contents.tsx";
import { TypeOf } from "./docs-fields.tsx";
import { jsonLines, PathTemplate, Prose } from "./docs-prose.tsx";

/** An answer of more lines than this is folded. */
const mostLines = 30;

/** Every operation by its group: its path, its answers, and an example. */
export function Operations(reference: Documentation): preact.JSX.Element {
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
            .map(([path, { get }]) => (
              <OperationOf {...reference} path={path} operation={get} />
            ))}
        </section>
      ))}
    </>
  );
}

function OperationOf({
  path,
  operation,
  ...reference
}: Documentation & { readonly path: string; readonly operation: Operation }): preact.JSX.Element {
  const { operationId, summary, description, parameters = [], responses } = operation;
  const asked = examplePath(reference, path);
  return (
    <article class="docs-operation" aria-labelledby={operationId}>
      <h3 id={operationId}>
        <a href={`#${operationId}`}>{summary}</a>
      </h3>
      <p class="docs-path">
        <b>GET</b>{" "}
        <code>
          <PathTemplate path={path} />
        </code>
      </p>
      <p>
        <Prose text={description} />
      </p>
      <dl class="docs-answers">
        {parameters.map(({ $ref }) => (
          <div>
            <dt>
              <a href={`#name-${componentName($ref)}`}>
                <var>{`{${componentName($ref)}}`}</var>
              </a>
            </dt>
            <dd>{reference.description.components.parameters[componentName($ref)]?.description}</dd>
          </div>
        ))}
        {Object.entries(responses).map(([code, response]) => (
          <Answer {...reference} code={code} response={response} />
        ))}
      </dl>
      <Example {...reference} path={asked} responses={responses} />
    </article>
  );
}

function Answer({
  description,
  code,
  response,
}: Documentation & {
  readonly code: string;
  readonly response: Operation["responses"][string];
}): preact.JSX.Element {
  if ("$ref" in response) {
    const name = componentName(response.$ref);
    return (
      <div>
        <dt>
          <a href={`#${name}`}>
            <code>{code}</code>
          </a>
        </dt>
        <dd>{description.components.responses[name]?.description}</dd>
      </div>
    );
  }
  return (
    <div>
      <dt>
        <code>{code}</code>
      </dt>
      {Object.entries(response.content ?? {}).map(([type, { schema }]) => (
        <dd>
          {schema.description ?? <TypeOf schema={schema} />}, <code>{type}</code>
        </dd>
      ))}
    </div>
  );
}

/** The line that asks for an operation, and what comes for it. */
function Example({
  url,
  base,
  path,
  responses,
}: Documentation & Pick<Operation, "responses"> & { readonly path: string }): preact.JSX.Element {
  const isRedirected = "301" in responses;
  const [type, content] = contentOf(responses["200"]);
  const [example] = Object.values(content?.examples ?? {});
  const isPicture = type === "image/svg+xml";
  return (
    <div class="docs-example">
      <pre class="docs-line">
        <code data-copy>{`curl ${isRedirected ? "-L " : ""}${url}${path}`}</code>
      </pre>
      {isPicture && <img src={base + path} alt={`The badge at ${path}, as it is now`} height={20} />}
      {example !== undefined && !isPicture && <Body value={example.value} />}
    </div>
  );
}

function Body({ value }: { readonly value: unknown }): preact.JSX.Element {
  const text = typeof value === "string" ? value.trimEnd() : jsonLines(value);
  const body = <pre class="docs-body-text">{text}</pre>;
  const lines = text.split("\n").length;
  if (lines <= mostLines) return body;
  return (
    <details>
      <summary>The answer, {lines} lines</summary>
      {body}
    </details>
  );
}

function contentOf(
  response: Response | { readonly $ref: string } | undefined,
): [type: string | undefined, content: Content | undefined] {
  const content = response !== undefined && "content" in response ? (response.content ?? {}) : {};
  return Object.entries(content)[0] ?? [undefined, undefined];
}

/** A path with the example of each name in it. */
function examplePath({ description }: Documentation, path: string): string {
  const { parameters } = description.components;
  return path.replace(/\{(\w+)\}/g, (braced, name: string) => String(parameters[name]?.example ?? braced));
}
