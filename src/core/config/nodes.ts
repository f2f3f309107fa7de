import { hash } from "node:crypto";
import type { Kind, KindOptions } from "../kinds/kind.ts";
import { withoutKeyring } from "../kinds/kinds.ts";
import { fieldsAt } from "./outline.ts";
import type { ChannelConfig } from "./channels.ts";
import { contactName, notifyRules } from "./notify-rules.ts";
import { parseDuration } from "../base/text/time.ts";
import { defaultGrace } from "./probe-keys.ts";
import type { Config, Override } from "./config-schema.ts";

/** A node's `freshness`. Without `offlineAfterMs`, content never changes the status. */
export type FreshnessRule = Readonly<ReturnType<typeof freshnessRule>>;

/** The whole file's settings, overridden by the project's, the target's and the node's own. */
export interface NodeSettings extends Readonly<
  Pick<Config["probe"], "kind" | "attempts" | "failureThreshold" | "successThreshold">
> {
  readonly timeoutMs: number;
  /** The kind's options that mirrors.json sets, by key. */
  readonly options: KindOptions;
  /** Set by a command to replace the kind's probe. */
  readonly probe?: Kind["probe"] | undefined;
}

export interface TargetPlace {
  readonly system: string;
  readonly project: string;
  readonly target: string;
  /** `system/project/target`. */
  readonly place: string;
}

export type TargetNames = Omit<TargetPlace, "place">;

/** One mirror with the names of its system, project and target. `host` includes any non-default port. */
export interface Node extends TargetPlace {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly host: string;
  /** Whether the target's other nodes mirror this one. */
  readonly primary: boolean;
  /** Whether the target has a primary. */
  readonly hasPrimary: boolean;
  readonly country?: string | undefined;
  readonly weight?: number | undefined;
  /** The name of the channel through which the mirror's operator is notified. */
  readonly contact?: string | undefined;
  readonly settings: NodeSettings;
  readonly freshness: FreshnessRule;
}

/** Lists the targets in file order. */
export function listTargets({ systems }: Pick<Config, "systems">) {
  return systems.flatMap(({ system, projects }, s) =>
    projects.flatMap((project, p) =>
      project.targets.map((target, t) => ({
        system,
        project,
        target,
        place: `${system}/${project.project}/${target.target}`,
        path: ["systems", s, "projects", p, "targets", t],
      })),
    ),
  );
}

/** Lists the nodes in file order. */
export function listNodes(config: Config): Node[] {
  // A Map, because a host can be called `constructor`.
  const contacts = new Map(Object.entries(config.contacts));
  return listTargets(config).flatMap(({ system, project, target, place }) => {
    const overrides = [project.probe, target.probe];
    const shared = resolveSettings(config, overrides);
    const levels = [config.freshness, project.freshness, target.freshness];
    return target.network.map(({ id, url, name = nodeName(url), probe, country, weight, ...own }): Node => {
      const { host } = new URL(url);
      // Without a spread, which would take four times as long.
      return {
        id,
        name,
        url,
        host,
        system,
        project: project.project,
        target: target.target,
        place,
        primary: id === target.primary,
        hasPrimary: target.primary !== undefined,
        country,
        weight,
        contact: own.contact ?? target.contact ?? contacts.get(host),
        settings: probe === undefined ? shared : resolveSettings(config, [...overrides, probe]),
        freshness: freshnessRule([...levels, own.freshness]),
      };
    });
  });
}

/** Returns a node's default name: host and path, such as `git.example.org/joomla/packages`. */
export function nodeName(url: string): string {
  const { host, pathname, search } = new URL(url);
  return `${host}${pathname}${search}`.replace(/\/+$/, "");
}

/** Returns a hash of what is probed, so that results are never used with a different configuration. */
export function fingerprint(nodes: readonly Node[]): string {
  const probed = nodes.map(probedValues);
  return hash("sha256", JSON.stringify(probed)).slice(0, 32);
}

/** Returns the nodes in `after` that are new since `before`, or whose URL, kind or kind options have changed. */
export function newNodes(before: Config | undefined, after: Config): Node[] {
  const key = (node: Node): string => JSON.stringify(probedValues(node));
  const known = new Set(before === undefined ? [] : listNodes(before).map(key));
  return listNodes(after).filter((node) => !known.has(key(node)));
}

function probedValues({ id, url, settings: { kind, options } }: Node): unknown[] {
  // Leave out keyrings, because their absolute paths can differ between the machines of a run.
  const given = Object.entries(withoutKeyring(options)).sort(([one], [other]) => (one < other ? -1 : 1));
  // A new option in mirrorfeed must not change existing fingerprints.
  return [id, url, kind, given.length > 0 ? given : null];
}

function resolveSettings({ probe }: Config, overrides: readonly (Override | undefined)[]): NodeSettings {
  const settings = overrides.reduce<Config["probe"]>((above, own) => ({ ...above, ...own }), probe);
  const { kind, timeout, attempts, failureThreshold, successThreshold } = settings;
  const options = [probe, ...overrides].flatMap((level) => Object.entries(fieldsAt(level ?? {}, kind)));
  return {
    kind,
    timeoutMs: parseDuration(timeout),
    attempts,
    failureThreshold,
    successThreshold,
    options: Object.fromEntries(options),
  };
}

type FreshnessKeys = NonNullable<Config["freshness"]>;

/** Merges the `freshness` of all levels that apply to a node. The outermost level comes first in `levels`. */
export function freshnessRule(levels: readonly (FreshnessKeys | undefined)[]) {
  const merged = levels.reduce<FreshnessKeys>((above, own) => ({ ...above, ...own }), {});
  const { grace = defaultGrace, offlineAfter, states = ["behind", "differs"], codes = [] } = merged;
  const offlineAfterMs = offlineAfter === undefined ? undefined : parseDuration(offlineAfter);
  return { graceMs: parseDuration(grace), offlineAfterMs, states, codes };
}

/** Returns the channels that rules notify, by name, including those of mirrors' contacts. */
export function receivingChannels(config: Config): Map<string, ChannelConfig> {
  const named = notifyRules(config).flatMap(({ to }) => to);
  const contacts = named.includes(contactName) ? listNodes(config).map(({ contact }) => contact) : [];
  const names = new Set([...named, ...contacts]);
  return new Map(Object.entries(config.channels).filter(([name]) => names.has(name)));
}

/** Returns why a node is in maintenance at `at` (epoch milliseconds), or undefined if it is not. */
export function maintenanceReason(windows: Config["maintenance"], node: Node, at: number) {
  return windows.find(
    ({ scope, from, to }) => isNamedBy(scope, node, node) && Date.parse(from) <= at && at < Date.parse(to),
  )?.reason;
}

/** Returns whether a `scope` (host, path or id) includes a node. */
export function isNamedBy(
  scope: string | number,
  { id, host }: Pick<Node, "id" | "host">,
  { system, project, place }: Pick<Node, "system" | "project" | "place">,
): boolean {
  return scope === id || scope === host || scope === place || scope === `${system}/${project}`;
}
