import { createHash } from "node:crypto";
import { type KindName, optionNames } from "../kinds/kinds.ts";
import type { JsonPath } from "./json.ts";
import type { Config, Override, Project, Target } from "./schema.ts";

/** How one node is probed: the settings of the file with the overrides of project, target and node laid over them. */
export interface NodeSettings {
  readonly kind: KindName;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly downAfter: number;
  readonly upAfter: number;
  /** The options that belong to a kind, by their keys; those that are left out are missing. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** One mirror, with its place in the hierarchy. `host` is host and port, as every rule about hosts counts them. */
export interface NetworkNode {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly host: string;
  readonly system: string;
  readonly project: string;
  readonly target: string;
  /** `system/project/target`. */
  readonly place: string;
  /** Whether the other nodes of the target are mirrors of this one. */
  readonly primary: boolean;
  readonly settings: NodeSettings;
}

/** A target of the configuration with its place in the hierarchy. */
export interface ListedTarget {
  readonly system: string;
  readonly project: Project;
  readonly target: Target;
  /** `system/project/target`. */
  readonly place: string;
  readonly path: JsonPath;
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
export function listNodes(config: Config): NetworkNode[] {
  return listTargets(config).flatMap(({ system, project, target, place }) => {
    const overrides = [project.probe, target.probe];
    const shared = settle(config, overrides);
    const names = { system, project: project.project, target: target.target, place };
    return target.network.map(({ id, url, name = nodeName(url), probe }): NetworkNode => {
      const { host } = new URL(url);
      const settings = probe === undefined ? shared : settle(config, [...overrides, probe]);
      return { id, name, url, host, ...names, primary: id === target.primary, settings };
    });
  });
}

/** The label of a node that has none of its own: host and path, `git.example.org/joomla/packages`. */
export function nodeName(url: string): string {
  const { host, pathname, search } = new URL(url);
  return `${host}${pathname}${search}`.replace(/\/+$/, "");
}

/** A digest of what is probed: results made from one configuration are not read with another. */
export function fingerprint(nodes: readonly NetworkNode[]): string {
  const probed = nodes.map(({ id, url, settings: { kind, options } }) => {
    const values = optionNames.map((name) => options[name] ?? null);
    // Without the empty rest, so that a new kind with options changes no digest of a feed that does not use it.
    return [
      id,
      url,
      kind,
      ...values.slice(
        0,
        Math.max(
          0,
          values.findLastIndex((value) => value !== null),
        ) + 1,
      ),
    ];
  });
  return createHash("sha256").update(JSON.stringify(probed)).digest("hex").slice(0, 32);
}

function settle({ probe }: Config, overrides: readonly (Override | undefined)[]): NodeSettings {
  const settings = overrides.reduce<Config["probe"]>((above, own) => ({ ...above, ...own }), probe);
  const { kind, timeoutMs, attempts, downAfter, upAfter } = settings;
  const options = Object.fromEntries(Object.entries(settings).filter(([key]) => optionNames.includes(key)));
  return { kind, timeoutMs, attempts, downAfter, upAfter, options };
}
