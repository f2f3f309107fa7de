import { type Transport, wholeAnswer } from "../base/http/transport.ts";
import { group } from "../base/text/group.ts";
import { parseReach, reachRequest } from "../kinds/git-questions.ts";
import { ancestryIn } from "./ask-ancestry.ts";
import type { GitMirror } from "./git-mirrors.ts";
import { canAsk, type GitTarget, strangersOf } from "./git-targets.ts";
import type { History } from "./observation.ts";
import type { Performer } from "./perform.ts";
import { unlessFailed } from "./probe-node.ts";

/** Which of some commits does the history of `want` reach? */
interface Question {
  readonly place: string;
  readonly branch: string;
  readonly about: "past" | "contains";
  readonly server: GitMirror;
  readonly want: string;
  /** The commits, by mirror, because those of one mirror can make the answer to all empty. */
  readonly units: readonly (readonly string[])[];
}

/**
 * Asks about strangers, which are commits that the reference is not known to have had: the reference, whether its
 * history reaches them, and the mirror, which versions of main its commit contains.
 */
export async function askHistory(targets: readonly GitTarget[], performer: Performer): Promise<History> {
  const questions = targets.flatMap((target) => [...pastQuestions(target), ...containsQuestions(target)]);
  const answers = await ask(questions, performer);
  const alone = answers.flatMap(({ question, reach }) =>
    reach === "empty" && question.units.length > 1
      ? question.units.map((unit) => ({ ...question, units: [unit] }))
      : [],
  );
  return historyFrom([...answers, ...(await ask(alone, performer))]);
}

function pastQuestions(target: GitTarget): Question[] {
  const { place, mirrors, known, isElsewhere } = target;
  const { tipOf, witnessesOf } = target.reference;
  // The shard with the primary asks about these.
  const asked = isElsewhere ? [] : (known?.asked ?? []);
  const open = asked.filter(([branch, id]) => known?.isSettled(branch, id, tipOf(branch)) === false);
  const units = [
    ...mirrors.flatMap((mirror) => [...strangersOf(target, mirror)]),
    ...open.map(([branch, id]): [string, string[]] => [branch, [id]]),
  ];
  return [...group(units)].flatMap(([branch, ofBranch]) => {
    const want = tipOf(branch);
    if (want === undefined) return [];
    const askable = ofBranch.filter((ids) => ids.every((id) => canAsk(id, want)));
    return inRequests(askable).flatMap((some) =>
      witnessesOf(branch).map((server): Question => ({
        place,
        branch,
        about: "past",
        server,
        want,
        units: some,
      })),
    );
  });
}

const maxIds = 64;

/** Divides units, without repetitions, into groups for one request each. */
function inRequests(units: readonly (readonly string[])[]): (readonly string[])[][] {
  const groups: (readonly string[])[][] = [];
  let room = 0;
  for (const unit of new Map(units.map((one) => [one.join(), one])).values()) {
    room -= unit.length;
    if (room < 0) {
      groups.push([]);
      room = maxIds - unit.length;
    }
    groups.at(-1)?.push(unit);
  }
  return groups;
}

/** For each commit, one mirror that has it is asked. */
function containsQuestions(target: GitTarget): Question[] {
  const { place, mirrors, known, reference } = target;
  const branch = reference.main;
  const tip = reference.tipOf(branch);
  if (tip === undefined) return [];
  const strangers = mirrors.flatMap((mirror) => {
    const ids = mirror.uploadPack.tellsHistory ? (strangersOf(target, mirror).get(branch) ?? []) : [];
    return ids.map((id) => [id, mirror] as const);
  });
  return [...group(strangers)].map(([want, [server]]) => {
    const versions = known?.versions.filter((id) => canAsk(id, want)).slice(1 - maxIds) ?? [];
    const ids = [...new Set([...versions, tip])];
    return { place, branch, about: "contains", server, want, units: [ids] };
  });
}

type Answered = Awaited<ReturnType<typeof ask>>[number];

async function ask(questions: readonly Question[], performer: Performer) {
  const tasks = questions.map((question) => {
    const { node, uploadPack } = question.server;
    return {
      ...{ url: node.url, host: node.host, timeoutMs: node.settings.timeoutMs },
      probe: async (signal: AbortSignal, transport: Transport) => {
        const options = reachRequest(uploadPack, question.want, idsOf(question));
        const answer = await unlessFailed(transport.request(uploadPack.url, wholeAnswer, signal, options));
        return { question, reach: answer && parseReach(answer) };
      },
    };
  });
  return (await performer.performAll(tasks)).map(({ seen }) => seen);
}

function idsOf({ units }: Question): string[] {
  return [...new Set(units.flat())];
}

/** More than half of the answers about a commit decide. */
function historyFrom(answers: readonly Answered[]): History {
  const history: History = {};
  const votes: { place: string; branch: string; id: string; isPast: boolean }[] = [];
  for (const { question, reach } of answers) {
    if (reach === undefined || reach === "empty") continue;
    const { place, branch, about, want } = question;
    const { reached, isWhole } = reach;
    const ids = idsOf(question);
    if (about === "past") {
      const answered = ids.filter((id) => isWhole || reached.has(id));
      votes.push(...answered.map((id) => ({ place, branch, id, isPast: reached.has(id) })));
    } else if (isWhole || reached.size > 0) {
      ancestryIn(history, place, branch, want).contains = ids.filter((id) => reached.has(id));
    }
  }
  const byCommit = group(votes.map((vote) => [`${vote.place} ${vote.branch} ${vote.id}`, vote] as const));
  for (const all of byCommit.values()) {
    const [{ place, branch, id }] = all;
    const yes = all.filter(({ isPast }) => isPast).length;
    if (yes * 2 !== all.length) ancestryIn(history, place, branch, id).past = yes * 2 > all.length;
  }
  return history;
}
