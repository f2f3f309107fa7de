import type { HttpCode } from "../base/http/codes.ts";
import type { Status } from "../contract/network.ts";
import { isKnownCode } from "./kinds.ts";
import { contentCodes, freshnessCodes } from "./mirror-content.ts";

/** Codes that prove nothing about a mirror: the cause is on the prober's side, so the verdict stays. */
const noEvidence: ReadonlySet<string> = new Set<HttpCode>(["rate_limited", "no_route", "captive_portal"]);

/** Returns the status that a code is evidence for, or undefined if it proves nothing. */
export function evidence(code: string | undefined): Status | undefined {
  if (code === undefined || noEvidence.has(code) || !isKnownCode(code)) return undefined;
  return code === "ok" ? 1 : 0;
}

/** Whether a code is about the content of a mirror that answers. */
export function isContentCode(code: string | undefined): boolean {
  return code !== undefined && (Object.hasOwn(contentCodes, code) || Object.hasOwn(freshnessCodes, code));
}
