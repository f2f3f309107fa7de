import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/config-schema.ts";
import { isPublic } from "../base/http/address.ts";
import { openTransport } from "../base/http/open-transport.ts";
import type { Results } from "./observation.ts";
import { loadKeyrings } from "./keyrings.ts";
import { inShard, probeAll, type ProbeRun, stalledProblem } from "./probe-all.ts";
import type { OnStep } from "../base/http/trace.ts";
import { userAgent } from "../base/files/package.ts";
import { formatCount } from "../base/text/count.ts";
import { quote } from "../base/text/quote.ts";
import { type CommandContext, logStage } from "../base/terminal/context.ts";
import { allowPrivateRemedy, listSome } from "../config/warnings.ts";

export interface ObserveOptions extends Pick<
  ProbeRun,
  "silent" | "earlier" | "references" | "git" | "checkHosts" | "onSeen"
> {
  /** Random by default. */
  readonly run?: string | undefined;
  readonly vantage?: string | undefined;
  readonly shard?: ProbeRun["shard"] | undefined;
  readonly allowPrivate?: boolean | undefined;
  /** The part of the warning that says how to allow private addresses. */
  readonly privateRemedy?: string | undefined;
  /** Name servers to use instead of the system's. */
  readonly dns?: readonly string[] | undefined;
  readonly onStep?: OnStep | undefined;
}

/** Probes every node of the shard and shows progress. Logs a warning if private addresses were not probed. */
export async function observe(
  config: Config,
  nodes: readonly Node[],
  options: ObserveOptions,
  context: CommandContext,
): Promise<Results> {
  const { controls, maxBytes, allowPrivate, ca, userAgent: agent } = config.probe;
  const verifySignature = await loadKeyrings(nodes, context.environment, context.interrupt);
  const isAllowed = (options.allowPrivate ?? allowPrivate) ? () => true : isPublic;
  const transport = await openTransport(
    {
      ...{ isAllowed, maxBytes, onStep: options.onStep },
      userAgent: agent ?? userAgent({ site: config.site.url }),
      gitUserAgent: agent ?? userAgent({ site: config.site.url, isGit: true }),
    },
    ...[ca, context.environment, options.dns],
  );
  const shard = options.shard ?? { index: 1, count: 1 };
  const progress = context.progress("Probing", inShard(nodes, shard).length + controls.length);
  try {
    const probed = await probeAll(config, nodes, {
      ...options,
      run: options.run ?? Math.floor(context.random() * 2 ** 48).toString(36),
      vantage: options.vantage ?? "default",
      shard,
      verifySignature,
      transport,
      clock: context,
      interrupt: context.interrupt,
      onProblem: (url, { name, message }) => {
        context.log(
          `Warning: mirrorfeed failed on the response from ${url}, so this run has no result for that mirror; please report this bug (${name}: ${quote(message)}).`,
        );
      },
      onProgress: progress.step,
    });
    logStage("probe", { observations: probed.observations.length, controls: probed.controls.length });
    const stalled = probed.problems?.filter(({ error }) => error === stalledProblem).length ?? 0;
    if (stalled > 0)
      context.log(
        `Warning: this run has no result for ${formatCount(stalled, "mirror")}, because this machine stalled twice while probing; reduce its load.`,
      );
    const warning = blockedWarning(nodes, probed, options.privateRemedy);
    if (warning !== undefined) context.log(warning);
    return probed;
  } finally {
    progress.stop();
    transport.close();
  }
}

/** Returns a warning if mirrors have only private addresses, which are not probed by default. */
function blockedWarning(
  nodes: readonly Node[],
  { observations }: Results,
  remedy = `${allowPrivateRemedy}, or use --allow-private`,
): string | undefined {
  const blocked = new Set(observations.flatMap(({ id, code }) => (code === "blocked_address" ? [id] : [])));
  if (blocked.size === 0) return undefined;
  const hosts = nodes.filter(({ id }) => blocked.has(id)).map(({ host }) => host);
  return `Warning: ${formatCount(blocked.size, "mirror")} not probed, because only private addresses were found (${listSome(hosts)}); if this is intended, ${remedy}.`;
}
