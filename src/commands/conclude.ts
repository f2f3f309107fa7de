import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { basePath } from "../config/base-path.ts";
import type { NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { hosts } from "../hosts/registry.ts";
import { publicFolders } from "../product.ts";
import type { ReportInput } from "../render/report.ts";
import { renderSite } from "../render/site.ts";
import { overlay, readPublic } from "../site/public.ts";
import { isBegun, writeSite } from "../site/write.ts";
import { advance, type Advance, statusesOf } from "../state/advance.ts";
import { formatState, parseState, type State } from "../state/document.ts";
import type { Round } from "../state/round.ts";
import { openStore } from "../state/store.ts";
import type { ExitCode, Setting } from "./setting.ts";
import { summaryJson, summaryTable } from "./summary.ts";

export interface ConcludeOptions {
  readonly out: string;
  /** Where the state is: a file, or `branch:NAME`; nothing is remembered where it is left out. */
  readonly state?: string | undefined;
  /** The remote of the state's branch; the `origin` of the repository around mirrors.json where it is left out. */
  readonly stateRemote?: string | undefined;
  /** The folder of mirrors.json, whose `public/` is laid over that of the package. */
  readonly beside?: string | undefined;
  readonly json?: boolean | undefined;
}

/**
 * From a round to the site: decides, remembers, renders, writes, and shows what came of it. A void round leaves state
 * and site as they are; only where there is neither yet the site is written, with every status 0.
 */
export async function conclude(
  config: Config,
  nodes: readonly NetworkNode[],
  round: Round,
  options: ConcludeOptions,
  setting: Setting,
): Promise<ExitCode> {
  const { out, json } = options;
  const { before, after } = await remember(config, nodes, round, options, setting);
  const { state, online } = after;
  const isVoid = online.length === 0;
  const statuses = isVoid && (state !== undefined || isBegun(out)) ? undefined : statusesOf(nodes, state);
  if (statuses !== undefined) write(config, statuses, { state, round, online }, options, setting);
  markVoid(out, isVoid);
  const shown = { nodes, round, isVoid, statuses, before: before && statusesOf(nodes, before) };
  setting.print(json === true ? summaryJson(shown) : summaryTable(shown, setting.color));
  if (!isVoid) return 0;
  setting.tell(voidSentence(out, statuses === undefined, before, round.at));
  return 3;
}

/** The folder of a configuration file. */
export function folderOf(config: string): string {
  return dirname(config);
}

interface Remembered {
  readonly before: State | undefined;
  readonly after: Advance;
}

async function remember(
  config: Config,
  nodes: readonly NetworkNode[],
  round: Round,
  { state: place, stateRemote, beside }: ConcludeOptions,
  setting: Setting,
): Promise<Remembered> {
  if (place === undefined) return { before: undefined, after: advance(config, nodes, round, undefined) };
  const store = openStore(place, { ...setting, remote: stateRemote, folder: beside ?? "." });
  const read = (text: string | undefined): State | undefined =>
    text === undefined ? undefined : parseState(text, place);
  const apply = (before: State | undefined): Remembered => ({
    before,
    after: advance(config, nodes, round, before),
  });
  let remembered = apply(read(await store.load()));
  if (remembered.after.online.length === 0) return remembered;
  await store.save((text) => {
    remembered = apply(read(text));
    const { before, after } = remembered;
    if (after.state === undefined) throw new Error("A round with a vantage online leaves a state.");
    return after.state === before && text !== undefined ? text : formatState(after.state);
  });
  return remembered;
}

function write(
  config: Config,
  statuses: ReadonlyMap<number, 0 | 1>,
  reported: ReportInput,
  { out, beside }: ConcludeOptions,
  setting: Setting,
): void {
  const own = beside === undefined ? [] : readPublic(join(beside, "public"));
  const files = [...publicFolders.map(readPublic), own].reduce(overlay, renderSite(config, statuses, reported));
  const { written, unchanged, removed } = writeSite(out, files, setting.processes);
  setting.tell(`${out}: ${written} files written, ${unchanged} unchanged, ${removed} removed.`);
  const warnings =
    hosts[config.site.host].warnings?.({ feed: config.systems, basePath: basePath(config) }) ?? [];
  for (const warning of warnings) setting.tell(`Warning: ${warning}`);
}

/** A file that says that the last run was void: `mirrorfeed publish` refuses a site that has it. */
const voidMarker = join(".mirrorfeed", "void");

function markVoid(out: string, isVoid: boolean): void {
  const folder = join(out, ".mirrorfeed");
  if (!existsSync(folder)) return;
  if (isVoid) writeFileSync(join(out, voidMarker), "The last run was void: the prober was offline.\n");
  else rmSync(join(out, voidMarker), { force: true });
}

function voidSentence(out: string, isKept: boolean, before: State | undefined, at: number): string {
  const last = before?.runs.at(-1)?.[1];
  const since = last === undefined ? "" : ` The last run that saw anything was ${duration(at - last)} ago.`;
  const kept = isKept
    ? `${out} and the state were left as they were.`
    : `${out} is new, so it was written with every status 0.`;
  return `This machine is offline: no mirror and no control answered. ${kept}${since}`;
}

function duration(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
