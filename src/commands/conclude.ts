import { join } from "node:path";
import { basePath } from "../config/base-path.ts";
import type { NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { hosts } from "../hosts/registry.ts";
import { publicFolders } from "../product.ts";
import type { ReportInput } from "../render/report.ts";
import { renderSite } from "../render/site.ts";
import { withSiteLock } from "../site/lock.ts";
import { overlay, readPublic } from "../site/public.ts";
import { isBegun, markVoid, writeSite } from "../site/write.ts";
import { spanText } from "../span.ts";
import { advance, type Advance, statusesOf } from "../state/advance.ts";
import { refuseAhead, withoutRunsAhead } from "../state/clock.ts";
import { formatState, parseState, type State } from "../state/document.ts";
import type { Round } from "../state/round.ts";
import { openStore } from "../state/store.ts";
import type { ExitCode, Setting } from "./setting.ts";
import { summaryJson, summaryTable } from "./summary.ts";

export interface ConcludeOptions {
  readonly out: string;
  /** Where the state is: a file, or `branch:NAME`. */
  readonly state: string;
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
  refuseAhead(round, setting.now());
  const memory = openMemory(config, nodes, round, options, setting);
  const looked = await memory.look();
  if (looked.before !== looked.stored) setting.tell(aheadSentence);
  const isVoid = looked.after.online.length === 0;
  const isKept = isVoid && (looked.after.state !== undefined || isBegun(out));
  // One lock for both, so that of two runs at once the site is of the one whose state came last.
  const writing = async (check: () => void): Promise<Remembered> => {
    const remembered = isVoid ? looked : await memory.save();
    check();
    const { state, online } = remembered.after;
    write(config, statusesOf(nodes, state), { state, round, online }, options, setting);
    return remembered;
  };
  const { before, after } = isKept ? looked : await withSiteLock(out, setting, writing);
  markVoid(out, isVoid);
  const statuses = isKept ? undefined : statusesOf(nodes, after.state);
  const shown = { nodes, round, isVoid, statuses, before: before && statusesOf(nodes, before) };
  setting.print(json === true ? summaryJson(shown) : summaryTable(shown, setting.color));
  if (!isVoid) return 0;
  setting.tell(voidSentence(out, isKept, before, round.at));
  return 3;
}

interface Remembered {
  readonly stored: State | undefined;
  /** What is stored, without the runs of a clock that was ahead. */
  readonly before: State | undefined;
  readonly after: Advance;
}

interface Memory {
  /** What the round makes of the state that is there now. */
  readonly look: () => Promise<Remembered>;
  /** The same, stored; for a round that is not void. */
  readonly save: () => Promise<Remembered>;
}

function openMemory(
  config: Config,
  nodes: readonly NetworkNode[],
  round: Round,
  { state: place, stateRemote, beside }: ConcludeOptions,
  setting: Setting,
): Memory {
  const apply = (text: string | undefined): Remembered => {
    const stored = text === undefined ? undefined : parseState(text, place);
    const before = stored && withoutRunsAhead(stored, setting.now());
    return { stored, before, after: advance(config, nodes, round, before) };
  };
  const store = openStore(place, { ...setting, remote: stateRemote, folder: beside ?? "." });
  return {
    look: async () => apply(await store.load()),
    save: async () => {
      let remembered: Remembered | undefined;
      await store.save((text) => {
        remembered = apply(text);
        const { before, after } = remembered;
        if (after.state === undefined) throw new Error("A round with a vantage online leaves a state.");
        return after.state === before && text !== undefined ? text : formatState(after.state);
      });
      if (remembered === undefined) throw new Error("A store asks for the text that it saves.");
      return remembered;
    },
  };
}

function write(
  config: Config,
  statuses: ReadonlyMap<number, 0 | 1>,
  reported: ReportInput,
  { out, beside }: ConcludeOptions,
  setting: Setting,
): void {
  const own = beside === undefined ? [] : readPublic(join(beside, "public"));
  const files = [...publicFolders.map(readPublic), own].reduce(
    overlay,
    renderSite(config, statuses, reported),
  );
  const { written, unchanged, removed } = writeSite(out, files, setting.processes);
  setting.tell(`${out}: ${written} files written, ${unchanged} unchanged, ${removed} removed.`);
  const warnings =
    hosts[config.site.host].warnings?.({ feed: config.systems, basePath: basePath(config) }) ?? [];
  for (const warning of warnings) setting.tell(`Warning: ${warning}`);
}

const aheadSentence =
  "Warning: the state knew of runs after this machine's clock, so some clock was wrong; they were taken back.";

function voidSentence(out: string, isKept: boolean, before: State | undefined, at: number): string {
  const last = before?.runs.at(-1)?.[1];
  const since = last === undefined ? "" : ` The last run that saw anything was ${spanText(at - last)} ago.`;
  const kept = isKept
    ? `${out} and the state were left as they were.`
    : `${out} is new, so it was written with every status 0.`;
  return `This machine is offline: no mirror and no control answered. ${kept}${since}`;
}
