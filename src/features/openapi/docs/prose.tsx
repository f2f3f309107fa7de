import type { OpenapiDocument } from "../openapi.ts";

export interface Documentation {
  readonly top: string;
  readonly description: OpenapiDocument;
  /** The URL in the examples, without a trailing slash: the feed's own or, if that is unknown, a placeholder. */
  readonly url: string;
}

export function Prose({ text }: { readonly text: string }) {
  const parts = text.split("`");
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>;
}

export function bodyText(value: unknown): string {
  return typeof value === "string" ? value.trimEnd() : jsonLines(value);
}

function jsonLines(value: unknown, indent = ""): string {
  const line = JSON.stringify(value);
  if (indent.length + line.length <= 76 || typeof value !== "object" || value === null) return line;
  const deeper = `${indent}  `;
  const [open, entries, close] = Array.isArray(value)
    ? ["[", value.map((one: unknown) => jsonLines(one, deeper)), "]"]
    : [
        "{",
        Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${jsonLines(one, deeper)}`),
        "}",
      ];
  return `${open}\n${entries.map((entry) => deeper + entry).join(",\n")}\n${indent}${close}`;
}
