import * as z from "zod";
import { tryParseJson } from "../text/parse-json.ts";

/** Where a site has the document that tells when it was made. */
export const heartbeatPath = "v1/report/index.json";

const heartbeat = z.looseObject({ generated_at: z.iso.datetime() });

/** What every version has written; all else is left open, so that feeds of older and newer versions pass. */
const feedHeartbeat = heartbeat.extend({ run: z.string(), nodes: z.array(z.looseObject({ id: z.int() })) });

/** Returns whether a text is a heartbeat, which no site but a feed has. */
export function isHeartbeat(text: string): boolean {
  return feedHeartbeat.safeParse(tryParseJson(text)).success;
}

/** Whether the feed of one heartbeat was made after that of another; no where either tells nothing. */
export function isNewer(one: string, other: string): boolean {
  const [mine, theirs] = [madeAt(one), madeAt(other)];
  return mine !== undefined && theirs !== undefined && mine > theirs;
}

function madeAt(text: string): number | undefined {
  const { data } = heartbeat.safeParse(tryParseJson(text));
  return data && Date.parse(data.generated_at);
}
