import * as z from "zod";
import { tryParseJson } from "../text/parse-json.ts";
import { channelOf, type SendContext, variable } from "./channel.ts";
import { ask, basicAuthorization, delivering, DeliveryFailure } from "./delivering.ts";
import type { Message, MessageEvent } from "./message.ts";
import { below, publicUrl } from "./public-url.ts";

const dayMs = 24 * 60 * 60 * 1000;

/**
 * How long an alert stands if its end never comes. Without `endsAt`, Alertmanager resolves an alert after its
 * `resolve_timeout` (https://prometheus.io/docs/alerting/latest/clients/), and mirrorfeed sends it only once.
 */
const standsMs = 365 * dayMs;

/** Events that have no end, and how long their alerts stand. */
const withoutEnd: Readonly<Record<string, number>> = { rewritten: dayMs };

const maxBytes = 16 * 1024 * 1024;

const labelName = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,99}$/, {
  error: "must be the name of a label of Prometheus, such as team",
});

export const alertmanager = channelOf({
  description: "Alerts for Prometheus Alertmanager, by its API v2: one for each event.",
  options: {
    url: publicUrl.describe("The URL of Alertmanager, without /api/v2/alerts."),
    userEnv: variable
      .exactOptional()
      .describe("The variable with the user's name, for Basic authentication.")
      .meta({ examples: ["ALERTMANAGER_USER"] }),
    passwordEnv: variable
      .exactOptional()
      .describe("The variable with the password.")
      .meta({ examples: ["ALERTMANAGER_PASSWORD"] }),
    labels: z
      .record(labelName, z.string().min(1).max(200))
      .default({})
      .describe("More labels of each alert, such as team, for the routes of Alertmanager."),
  },
  example: { url: "https://alertmanager.example.org", labels: { team: "mirrors" } },
  changes: true,
  send: (message, { url, userEnv, passwordEnv, labels }, context) =>
    delivering(async () => {
      const alerts = below(url, "api/v2/alerts");
      const authorization =
        userEnv === undefined && passwordEnv === undefined
          ? []
          : basicAuthorization(secret(context, userEnv), secret(context, passwordEnv));
      const standing = await standingAlerts(alerts, authorization, context);
      const posted = message.events.flatMap((event) => {
        const known = standing.get(event.id);
        // What is not standing, Alertmanager has forgotten or a person has resolved.
        if (known === undefined && event.phase !== "begin") return [];
        return [alertOf(event, message, known ?? { ...labels, ...labelsOf(event, message) }, context.now())];
      });
      if (posted.length === 0) return;
      const headers = ["content-type", "application/json", ...authorization];
      const body = JSON.stringify(posted);
      await ask(alerts, { method: "POST", headers, body, maxBytes }, context);
    }),
});

const answer = z.array(z.object({ labels: z.record(z.string(), z.string()) }));

type Labels = Readonly<Record<string, string>>;

/**
 * Returns the labels of the alerts of mirrorfeed that stand, by the ids of their events. Labels identify an alert: those
 * of its begin must end it, whatever mirrors.json says by then.
 */
async function standingAlerts(
  alerts: URL,
  headers: readonly string[],
  context: SendContext,
): Promise<ReadonlyMap<string, Labels>> {
  const url = new URL(`${alerts.href}?filter=${encodeURIComponent('job="mirrorfeed"')}`);
  const { body, complete } = await ask(url, { headers, maxBytes }, context);
  const parsed = answer.safeParse(complete ? tryParseJson(body.toString()) : undefined);
  if (!parsed.success) {
    throw new DeliveryFailure({ outcome: "failed", reason: "Its answer is not that of Alertmanager." });
  }
  return new Map(parsed.data.map(({ labels }) => [labels["event_id"] ?? "", labels]));
}

function labelsOf({ id, event, host, place }: MessageEvent, { feed }: Message): Labels {
  return {
    alertname: `Mirrorfeed${event.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
    job: "mirrorfeed",
    event,
    event_id: id,
    feed: feed.title,
    ...(host !== undefined && { instance: host }),
    ...(place !== undefined && { target: place }),
  };
}

function alertOf(event: MessageEvent, message: Message, labels: Labels, now: number): object {
  const { title, sentence, since, until, mirrors, moreMirrors, evidence, page } = event;
  const end = until ?? message.at;
  const endsAt =
    event.phase === "end" ? end : new Date(now + (withoutEnd[event.event] ?? standsMs)).toISOString();
  const generator = page ?? message.feed.url;
  const more = moreMirrors > 0 ? [`and ${moreMirrors} more`] : [];
  return {
    labels,
    annotations: {
      summary: title,
      description: sentence,
      evidence: evidence.map(([name, value]) => `${name}: ${value}`).join("\n"),
      mirrors: [...mirrors.map(({ name, place }) => `${name} (${place})`), ...more].join("\n"),
      command: mirrors[0]?.command ?? "",
      reason: `${message.reason} ${message.leave}`,
    },
    startsAt: since,
    endsAt,
    ...(generator !== undefined && { generatorURL: generator }),
  };
}

function secret(context: SendContext, name: string | undefined): string {
  return name === undefined ? "" : context.secret(name);
}
