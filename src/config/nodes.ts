import { hash } from "node:crypto";
import type { Kind, KindOptions } from "../kinds/kind.ts";
import { withoutKeyrings } from "../kinds/kinds.ts";
import { isObject } from "./outline.ts";
import type { ContentCode } from "../kinds/mirror-content.ts";
import { type ChannelConfig, contactName, notifyRules } from "./notify.ts";
import { parseDuration } from "../base/text/duration.ts";
import type { Config, Override, Project, Target } from "./schema.ts";

export interface FreshnessRule {
  readonly offlineAfterMs: number;
  readonly states: readonly ("behind" | "differs")[];
  readonly codes: readonly ContentCode[];
}

/** How one node is probed: the settings of the file with the overrides of its project, its target and itself. */
export interface NodeSettings extends Readonly<
  Pick<Config["probe"], "kind" | "attempts" | "failureThreshold" | "successThreshold">
> {
  readonly timeoutMs: number;
  /** The options of its kind that mirrors.json sets, by their keys. */
  readonly options: KindOptions;
  /** The probe that a command uses instead of the kind's. */
  readonly probe?: Kind["probe"] | undefined;
  /** Whether such a probe counts against the limits until it ends, as a download must. */
  readonly isDownload?: boolean | undefined;
}

export interface TargetNames {
  readonly system: string;
  readonly project: string;
  readonly target: string;
}

export interface TargetPlace extends TargetNames {
  /** `system/project/target`. */
  readonly place: string;
}

/** One mirror with the names of its levels. `host` is host and port, unless the port is the default one. */
export interface Node extends TargetPlace {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly host: string;
  /** Whether the other nodes of the target are mirrors of this one. */
  readonly primary: boolean;
  readonly country?: string | undefined;
  readonly weight?: number | undefined;
  /** The name of the channel of the person who runs it. */
  readonly contact?: string | undefined;
  readonly settings: NodeSettings;
  readonly freshness?: FreshnessRule | undefined;
}

export interface ListedTarget {
  readonly system: string;
  readonly project: Project;
  readonly target: Target;
  /** `system/project/target`. */
  readonly place: string;
  /** Where it is in mirrors.json. */
  readonly path: (string | number)[];
}

/** Returns every target of a configuration, in the order of the file. */
export function listTargets({ systems }: Pick<Config, "systems">): ListedTarget[] {
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

/** Returns every node of a configuration, in the order of the file. */
export function listNodes(config: Config): Node[] {
  // A host may be named like a key of every object, such as `constructor`.
  const contacts = new Map(Object.entries(config.contacts));
  return listTargets(config).flatMap(({ system, project, target, place }) => {
    const overrides = [project.probe, target.probe];
    const shared = resolveSettings(config, overrides);
    const names = { system, project: project.project, target: target.target, place };
    return target.network.map(
      ({ id, url, name = nodeName(url), country, weight, contact: its, probe, freshness: own }): Node => {
        const { host } = new URL(url);
        const settings = probe === undefined ? shared : resolveSettings(config, [...overrides, probe]);
        const primary = id === target.primary;
        const freshness = freshnessRule([config.freshness, project.freshness, target.freshness, own]);
        const contact = its ?? target.contact ?? contacts.get(host);
        return { id, name, url, host, ...names, primary, country, weight, contact, settings, freshness };
      },
    );
  });
}

/** Returns the name of a node without a label: host and path, such as `git.example.org/joomla/packages`. */
export function nodeName(url: string): string {
  const { host, pathname, search } = new URL(url);
  return `${host}${pathname}${search}`.replace(/\/+$/, "");
}

/** Returns a digest of what is probed, in 32 hexadecimal digits. Results of one configuration fit no other. */
export function fingerprint(nodes: readonly Node[]): string {
  const probed = nodes.map(probedValues);
  return hash("sha256", JSON.stringify(probed)).slice(0, 32);
}

/**
 * Returns the nodes of a configuration that an earlier one does not have, or has with another URL, kind or option of
 * it.
 */
export function newNodes(before: Config | undefined, after: Config): Node[] {
  const key = (node: Node): string => JSON.stringify(probedValues(node));
  const known = new Set(before === undefined ? [] : listNodes(before).map(key));
  return listNodes(after).filter((node) => !known.has(key(node)));
}

function probedValues({ id, url, settings: { kind, options } }: Node): unknown[] {
  // The absolute path of a keyring may be another one on each machine of a run.
  const given = Object.entries(withoutKeyrings(kind, options)).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  // A new option does not change the digest of feeds that do not use it.
  return [id, url, kind, given.length > 0 ? given : null];
}

function resolveSettings({ probe }: Config, overrides: readonly (Override | undefined)[]): NodeSettings {
  const settings = overrides.reduce<Config["probe"]>((above, own) => ({ ...above, ...own }), probe);
  const { kind, timeout, attempts, failureThreshold, successThreshold } = settings;
  const options = [probe, ...overrides].flatMap((level) => {
    const own = Object.entries<unknown>(level ?? {}).find(([key]) => key === kind)?.[1];
    return isObject(own) ? Object.entries(own) : [];
  });
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

/**
 * Returns the rule of a node from the keys of its levels, the outermost first; undefined if content changes no status.
 */
export function freshnessRule(levels: readonly (FreshnessKeys | undefined)[]): FreshnessRule | undefined {
  const merged = levels.reduce<FreshnessKeys>((above, own) => ({ ...above, ...own }), {});
  const { offlineAfter, states = ["behind", "differs"], codes = [] } = merged;
  return offlineAfter === undefined
    ? undefined
    : { offlineAfterMs: parseDuration(offlineAfter), states, codes };
}

/** Returns the channels that a rule names, or that are the contact of a mirror, by their names. */
export function receivingChannels(config: Config): Map<string, ChannelConfig> {
  const named = notifyRules(config).flatMap(({ to }) => to);
  const contacts = named.includes(contactName) ? listNodes(config).map(({ contact }) => contact) : [];
  const names = new Set([...named, ...contacts]);
  return new Map(Object.entries(config.channels).filter(([name]) => names.has(name)));
}
