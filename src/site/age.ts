import * as z from "zod";
import { jsonValue } from "../json-value.ts";

/** Where a site has the document that tells when it was made. */
export const heartbeatPath = "v1/report/index.json";

const heartbeat = z.looseObject({ generated_at: z.iso.datetime() });

/** Whether the feed of one heartbeat was made after that of another; no where either tells nothing. */
export function isNewer(one: string, other: string): boolean {
  const [mine, theirs] = [madeAt(one), madeAt(other)];
  return mine !== undefined && theirs !== undefined && mine > theirs;
}

function madeAt(text: string): number | undefined {
  const { data } = heartbeat.safeParse(jsonValue(text));
  return data && Date.parse(data.generated_at);
}
