import { Ajv } from "ajv";

const url = { type: "string", pattern: "^https?://[^ ]+$" };
const authors = {
  type: "array",
  minItems: 1,
  items: {
    type: "object",
    minProperties: 1,
    additionalProperties: false,
    properties: { name: { type: "string", minLength: 1 }, url, avatar: url },
  },
};

/** The schema of https://jsonfeed.org/version/1.1, with only the optional fields that mirrorfeed uses. */
const schema = {
  type: "object",
  required: ["version", "title", "items"],
  additionalProperties: false,
  properties: {
    version: { const: "https://jsonfeed.org/version/1.1" },
    title: { type: "string", minLength: 1 },
    home_page_url: url,
    feed_url: url,
    authors,
    language: { type: "string", pattern: "^[a-z]{2}(-[A-Z]{2})?$" },
    items: {
      type: "array",
      items: {
        type: "object",
        required: ["id", "content_text"],
        additionalProperties: false,
        properties: {
          id: { type: "string", minLength: 1 },
          url,
          title: { type: "string", minLength: 1 },
          content_text: { type: "string", minLength: 1 },
          date_published: {
            type: "string",
            pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$`,
          },
          tags: { type: "array", items: { type: "string", minLength: 1 } },
        },
        patternProperties: { "^_[a-zA-Z]": { type: "object" } },
      },
    },
  },
};

export interface JsonFeed {
  readonly title: string;
  readonly home_page_url?: string;
  readonly feed_url?: string;
  readonly items: readonly {
    readonly id: string;
    readonly url?: string;
    readonly title?: string;
    readonly content_text: string;
    readonly date_published?: string;
    readonly tags?: readonly string[];
    readonly _mirrorfeed?: Readonly<Record<string, unknown>>;
  }[];
}

const isJsonFeed = new Ajv({ allowUnionTypes: true }).compile<JsonFeed>(schema);

/** Parses a JSON Feed 1.1. Throws if the text is not a valid one. */
export function parseJsonFeed(text: string): JsonFeed {
  const document: unknown = JSON.parse(text);
  if (!isJsonFeed(document)) throw new Error(JSON.stringify(isJsonFeed.errors));
  if (new Set(document.items.map(({ id }) => id)).size < document.items.length)
    throw new Error("two items have the same id");
  return document;
}
