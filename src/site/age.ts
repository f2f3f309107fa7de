import * as z from "zod";
import { tryParseJson } from "../base/text/parse-json.ts";

/** The path of the document with the time of the run. */
export const heartbeatPath = "v1/report/index.json";

const heartbeat = z.looseObject({ generated_at: z.iso.datetime() });

/** The fields that every version of mirrorfeed writes, so that feeds of older and newer versions match. */
const feedHeartbeat = heartbeat.extend({ run: z.string(), nodes: z.array(z.looseObject({ id: z.int() })) });

/** Returns whether a text is a heartbeat, which only a feed has. */
export function isHeartbeat(text: string): boolean {
  return feedHeartbeat.safeParse(tryParseJson(text)).success;
}

/** Returns whether one heartbeat is newer than another. Returns false if either of them is not a heartbeat. */
export function isNewer(one: string, other: string): boolean {
  const [oneAt, otherAt] = [generatedAt(one), generatedAt(other)];
  return oneAt !== undefined && otherAt !== undefined && oneAt > otherAt;
}

function generatedAt(text: string): number | undefined {
  const { data } = heartbeat.safeParse(tryParseJson(text));
  return data && Date.parse(data.generated_at);
}
