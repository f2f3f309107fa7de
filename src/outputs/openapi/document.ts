import type { z } from "zod";

// The parts of an OpenAPI document that describe a feed: https://spec.openapis.org/oas/v3.1.1

/** A JSON schema in the dialect of OpenAPI 3.1, which is draft 2020-12. */
export type Schema = z.core.JSONSchema.BaseSchema;

/** A reference to a component of the document. */
export type Reference = Readonly<Record<"$ref", string>>;

export interface Content {
  readonly schema: Schema;
  /** Example bodies by name. Those of text types are strings. */
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  /** By media type. */
  readonly content?: Readonly<Record<string, Content>>;
}

export interface Operation {
  readonly tags: readonly [string];
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Reference[];
  /** By HTTP status. */
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

/** Returns the reference to a component. */
export function componentReference(
  kind: "schemas" | "parameters" | "headers" | "responses",
  name: string,
): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Returns the name of the component that a reference points to. */
export function componentName($ref: string): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}
