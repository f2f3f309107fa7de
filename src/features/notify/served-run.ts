import * as z from "zod";
import { ProbeFailure, withDeadline } from "../../core/base/http/failure.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { reportRoot } from "../../core/contract/contract.ts";
import type { NotifiedFeed } from "./told.ts";
import { channelsOf } from "./rules.ts";
import type { Sender } from "./send.ts";

const timeoutMs = 10_000;
/** A node takes a few hundred bytes. */
const maxBytes = 32 * 1024 * 1024;

const heartbeat = z.object({ generated_at: z.iso.datetime() });

/**
 * Asks the published site for the time of the run that it shows, in epoch milliseconds. Returns undefined if the site
 * does not say, or if no rule is about the feed.
 */
export async function servedRun(
  feed: NotifiedFeed,
  sender: Sender,
  { interrupt }: Pick<CommandContext, "interrupt">,
): Promise<number | undefined> {
  const { url, rules, allowPrivate } = feed;
  const isWanted = rules.some((rule) => rule.events.has("feed") && channelsOf(rule, undefined).length > 0);
  if (url === undefined || !isWanted) return undefined;
  try {
    const { body } = await withDeadline(timeoutMs, interrupt, (signal) =>
      sender
        .contextFor({ type: "webhook", allowPrivate }, signal)
        .request(new URL(`${url}/${reportRoot}/`), { maxBytes }),
    );
    const { data } = heartbeat.safeParse(tryParseJson(body.toString()));
    return data && Date.parse(data.generated_at);
  } catch (error) {
    if (error instanceof ProbeFailure) return undefined;
    throw error;
  }
}
