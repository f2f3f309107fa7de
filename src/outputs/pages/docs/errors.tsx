import type { Schema } from "../../openapi/document.ts";
import { bodyText, Prose } from "./prose.tsx";
import type { Documentation } from "./documentation.ts";

/** Renders the parameters of paths, with their values. */
export function pathNames({ description }: Documentation): preact.JSX.Element {
  return (
    <section aria-labelledby="names">
      <h2 id="names">Names in paths</h2>
      <dl class="docs-names">
        {Object.entries(description.components.parameters).map(([name, parameter]) => (
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

function valuesOf(schema: Schema): preact.JSX.Element {
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

/** Renders the responses that operations share: the errors of the contract, and those of the host. */
export function sharedResponses({ description }: Documentation): preact.JSX.Element {
  return (
    <section aria-labelledby="answers">
      <h2 id="answers">Errors and redirects</h2>
      {Object.entries(description.components.responses).map(([name, response]) => (
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
