import { InputError } from "../../base/errors.ts";
import type { Shard } from "../../probe/observation.ts";
import { vantagePattern } from "../../probe/vantage.ts";
import { quote } from "../../base/text/quote.ts";
import { siteUrlProblem } from "../../base/text/url.ts";
import { missingUnit, parseDuration } from "../../base/text/duration.ts";

/** Returns the values of an option so far with one more. */
export function repeated(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** Returns a TCP port. 0 means any free one. Throws InputError if the text is not a port. */
export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InputError(`${quote(text)} is not a port; a port is a number from 0 to 65535.`);
}

/**
 * Returns an address and a port to listen on. A port alone means every address. Throws InputError if the text is
 * neither.
 */
export function parseListen(text: string): { address: string; port: number } {
  const [, address = "", port = ""] = /^(?:(\[[0-9a-fA-F:.]+\]|[\w.-]+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === "" || Number(port) > 65_535) {
    throw new InputError(
      `${quote(text)} is not an address with a port; write it as 127.0.0.1:8080 or [::1]:8080.`,
    );
  }
  return { address: address.replace(/^\[|\]$/g, "") || "0.0.0.0", port: Number(port) };
}

/**
 * Returns an interval such as 60s, 5m or 1h in milliseconds. Throws InputError if it is not a duration or out of range.
 */
export function parseInterval(text: string): number {
  const ms = parseDuration(text);
  if (ms >= 1000 && ms <= 7 * 24 * 3_600_000) return ms;
  throw new InputError(
    `${quote(text)} is not an interval${missingUnit(text) ?? "; write it as 60s, 5m or 1h, from a second to seven days"}.`,
  );
}

/** Returns the name of a vantage. Throws InputError if the text is not valid. */
export function parseVantage(text: string): string {
  if (vantagePattern.test(text)) return text;
  throw new InputError(
    `${quote(text)} is not a vantage; name it with 1 to 63 lower-case letters, digits or . _ -.`,
  );
}

/** The shard of a probe: given, or named by the engine that starts its job. Some engines need the count. */
export type ShardOption = Shard | { readonly index: "auto"; readonly count: number | undefined };

/** The maximum number of shards. */
export const maxShards = 1000;

/** Returns a shard such as 2/3, the second of three, or `auto`. Throws InputError if the text is not valid. */
export function parseShard(text: string): ShardOption {
  const [, index, auto, digits] = /^(?:(\d{1,4})|(auto))(?:\/(\d{1,4}))?$/.exec(text) ?? [];
  const count = digits === undefined ? undefined : Number(digits);
  const isCount = count !== undefined && count >= 1 && count <= maxShards;
  if (auto !== undefined && (isCount || count === undefined)) return { index: "auto", count };
  if (isCount && index !== undefined && Number(index) >= 1 && Number(index) <= count)
    return { index: Number(index), count };
  throw new InputError(
    `${quote(text)} is not a shard; write it as 2/3, the second of three, or as auto; ${maxShards} is the maximum.`,
  );
}

/** Returns the id of a run. Throws InputError if the text is not valid. */
export function parseRunId(text: string): string {
  if (/^[\w.:@/+-]{1,200}$/.test(text)) return text;
  throw new InputError(
    `${quote(text)} is not an id of a run; use 1 to 200 letters, digits or . _ : @ / + -.`,
  );
}

/**
 * Returns the URL that a site is published at. It may be empty, since a workflow passes on what its host says. Throws
 * InputError if it is not such a URL.
 */
export function parseSiteUrl(text: string): string {
  const problem = text === "" ? undefined : siteUrlProblem(text);
  if (problem === undefined) return text;
  throw new InputError(`--site-url: ${problem}.`);
}
