import { runInNewContext } from "node:vm";
import * as z from "zod";
import { channelTypes } from "../../src/core/config/channels.ts";
import { isObject } from "../../src/core/config/outline.ts";
import { configSchema } from "../../src/core/config/config-schema.ts";
import { validateConfig } from "../../src/core/config/validate.ts";
import { mirrorsJson } from "./mirrors-json.ts";
import { badgeSchema } from "../../src/features/badges/badge.ts";
import { jsonFeedSchema } from "../../src/features/changes/change-entries.ts";
import {
  errorSchema,
  projectSchema,
  systemListSchema,
  systemSchema,
  targetSchema,
} from "../../src/core/contract/network.ts";
import { heartbeatSchema } from "../../src/core/site/heartbeat-schema.ts";
import {
  projectReportSchema,
  systemReportSchema,
  targetHistorySchema,
} from "../../src/core/site/report-schema.ts";

const feedDocument = z.union([
  z.union([systemListSchema, systemSchema, projectSchema, targetSchema, errorSchema]),
  z.union([heartbeatSchema, systemReportSchema, projectReportSchema, targetHistorySchema]),
  z.union([badgeSchema, jsonFeedSchema]),
]);

const node = { id: 1, url: "https://git.example.org/a/b/" };
const channel = { type: "webhook", ...channelTypes.webhook.example };

/** Throws unless the text is a complete mirrors.json or a complete document of the feed. */
export function validateWhole(text: string, place: string): void {
  const value: unknown = JSON.parse(text);
  const [first] = isObject(value) && Array.isArray(value["systems"]) ? value["systems"] : [];
  if (isObject(first)) validateConfig(text, place);
  else feedDocument.parse(value);
}

/**
 * Throws unless the text is a valid part of a mirrors.json: root keys, a target or a node. To check this, the function adds the
 * part to `whole` (a complete sample) or, by default, to a file with one mirror. It also declares channels that the file uses
 * but does not declare.
 */
export function validatePart(text: string, place: string, whole?: string): void {
  const part: unknown = runInNewContext(`(${/^\s*\{/.test(text) ? text : `{${text}}`})`);
  if (!isObject(part)) throw new Error(`${place}: not an object`);
  const rest: unknown = whole === undefined ? fileWith() : JSON.parse(whole);
  const known = Object.keys(configSchema.shape);
  const isRoot = Object.keys(part).every((key) => known.includes(key));
  if (!isRoot && !("url" in part) && !("network" in part))
    throw new Error(`${place}: neither root keys, a target nor a node`);
  const file = { ...(isObject(rest) ? rest : {}), ...(isRoot ? part : fileWith(part)) };
  const channels = "channels" in file && isObject(file.channels) ? file.channels : {};
  const named = Object.fromEntries(namedChannels(file).map((name) => [name, channel]));
  validateConfig(JSON.stringify({ ...file, channels: { ...named, ...channels } }), place);
}

/** Wraps a target or a node in a file. Without `part`, the file has one mirror. */
function fileWith(part: Readonly<Record<string, unknown>> = {}): object {
  return mirrorsJson(["url" in part ? part : node], {}, "network" in part ? part : {});
}

/** Returns the channel names used in rules, `contacts` and mirrors. */
function namedChannels(value: unknown, key = ""): string[] {
  if (typeof value === "string")
    return ["to", "contact", "contacts"].includes(key) && value !== "contact" ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => namedChannels(one, key));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => namedChannels(one, key === "contacts" ? key : name));
}
