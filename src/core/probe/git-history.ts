import { type Transport, wholeAnswer } from "../base/http/transport.ts";
import { group } from "../base/text/group.ts";
import { parseReach, reachRequest } from "../kinds/git-questions.ts";
import { ancestryIn, type History } from "./observation.ts";
import { canAsk, type GitMirror, type GitTarget, strangersOf } from "./git-targets.ts";
import type { Performer } from "./perform.ts";
import { unlessFailed } from "./probe-node.ts";

/** Which of some commits does the history of `want` reach? */
interface Question {
  readonly place: string;
  readonly branch: string;
  readonly about: "past" | "contains";
  readonly server: GitMirror;
  readonly want: string;
  readonly ids: readonly string[];
}

/**
 * Asks about strangers, which are commits that the reference is not known to have had: the reference, whether its
 * history reaches them, and the mirror, which versions of main its commit contains.
 */
export async function askHistory(targets: readonly GitTarget[], performer: Performer): Promise<History> {
  const questions = targets.flatMap((target) => [...pastQuestions(target), ...containsQuestions(target)]);
  const answers = await ask(questions, performer);
  // One mirror's id can make the answer about all of them empty.
  const alone = answers.flatMap(({ question, reach }) =>
    reach === "empty" && question.about === "past" && question.ids.length > 1
      ? question.ids.map((id) => ({ ...question, ids: [id] }))
      : [],
  );
  return historyFrom([...answers, ...(await ask(alone, performer))]);
}

const maxIds = 64;

function pastQuestions(target: GitTarget): Question[] {
  const { place, mirrors, known, isElsewhere } = target;
  const { tipOf, witnessesOf } = target.reference;
  // The shard with the primary asks about these.
  const asked = isElsewhere ? [] : (known?.asked ?? []);
  const open = asked.filter(([branch, id]) => {
    const tip = tipOf(branch);
    return canAsk(id, tip) && known?.isSettled(branch, id, tip) === false;
  });
  const strangers = mirrors.flatMap((mirror) => strangersOf(target, mirror));
  return [...group([...strangers, ...open])].flatMap(([branch, repeated]) => {
    const want = tipOf(branch);
    if (want === undefined) return [];
    const ids = [...new Set(repeated)];
    const starts = Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, index) => index * maxIds);
    return starts.flatMap((start) =>
      witnessesOf(branch).map((server): Question => ({
        ...{ place, branch, about: "past", server, want },
        ids: ids.slice(start, start + maxIds),
      })),
    );
  });
}

/** For each commit, one mirror that has it is asked. */
function containsQuestions(target: GitTarget): Question[] {
  const { place, mirrors, known, reference } = target;
  const branch = reference.main;
  const tip = reference.tipOf(branch);
  if (tip === undefined) return [];
  const servers = mirrors.flatMap((server) =>
    strangersOf(target, server).flatMap(([name, id]) =>
      name === branch && server.uploadPack.tellsHistory ? [[id, server] as const] : [],
    ),
  );
  return [...group(servers)].map(([want, [server]]) => {
    const versions = known?.versions.filter((id) => canAsk(id, want)).slice(1 - maxIds) ?? [];
    return { place, branch, about: "contains", server, want, ids: [...new Set([...versions, tip])] };
  });
}

async function ask(questions: readonly Question[], performer: Performer) {
  const tasks = questions.map((question) => {
    const { node, uploadPack } = question.server;
    return {
      ...{ url: node.url, host: node.host, timeoutMs: node.settings.timeoutMs },
      probe: async (signal: AbortSignal, transport: Transport) => {
        const options = reachRequest(uploadPack, question.want, question.ids);
        const answer = await unlessFailed(transport.request(uploadPack.url, wholeAnswer, signal, options));
        return { question, reach: answer && parseReach(answer) };
      },
    };
  });
  return (await performer.performAll(tasks)).map(({ seen }) => seen);
}

/** More than half of the answers about a commit decide. */
function historyFrom(answers: Awaited<ReturnType<typeof ask>>): History {
  const history: History = {};
  const votes: { place: string; branch: string; id: string; isPast: boolean }[] = [];
  for (const { question, reach } of answers) {
    if (reach === undefined || reach === "empty") continue;
    const { place, branch, about, want, ids } = question;
    const { reached, isWhole } = reach;
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
