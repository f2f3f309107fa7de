import { formatCount, formatInteger } from "../../../core/base/text/count.ts";
import { mirrorStates, stateNames } from "../../../core/verdict/mirror-state.ts";
import { stateShapes } from "../../layout/shapes.ts";
import { answerAbout, type IndexedMirror } from "../mirror-answer.ts";
import { first, make, makeShape } from "./elements.ts";

/** If more mirrors are found, they are counted instead. */
const maxCards = 3;

/** Returns a card for each mirror that was found, or one that counts them. `all` are the mirrors of the feed. */
export function answerCards(found: readonly IndexedMirror[], all: readonly IndexedMirror[]): HTMLElement[] {
  return found.length > maxCards ? [countCard(found)] : found.map((mirror) => answerCard(mirror, all));
}

function countCard(found: readonly IndexedMirror[]): HTMLElement {
  const counts = mirrorStates.flatMap((state) => {
    const count = found.filter(({ states }) => states.includes(state)).length;
    return count === 0 ? [] : [`${formatInteger(count)} ${stateNames[state]}`];
  });
  const heading = make("b", {}, `${formatCount(found.length, "mirror")}: ${counts.join(", ")}.`);
  return make("div", {}, make("p", {}, heading));
}

function answerCard(mirror: IndexedMirror, all: readonly IndexedMirror[]): HTMLElement {
  const isExpired = document.documentElement.hasAttribute("data-stale");
  const { state, before, verdict, facts, advice, instead } = answerAbout(mirror, all, isExpired);
  const name = make("a", { href: mirror.href }, make("bdi", {}, mirror.name));
  const since = mirror.since === undefined ? [] : [", ", timeOf(mirror.since, "since")];
  const heading = make("b", {}, before, name, ` ${verdict}`, ...since, ".");
  const card = make("div", {}, make("p", {}, makeShape(stateShapes[state]), heading));
  const run = first(".run time");
  const checked = run instanceof HTMLTimeElement ? [["Checked ", timeOf(run.dateTime)]] : [];
  const parts: (string | Node)[][] = [...(isExpired ? [] : checked), ...facts.map((fact) => [fact])];
  card.append(make("p", {}, ...parts.flatMap((part, index) => (index === 0 ? part : [" · ", ...part]))));
  if (mirror.notice !== undefined) {
    const { title, href, next } = mirror.notice;
    const due = next === undefined ? [] : [" · next update ", timeOf(next)];
    card.append(make("p", {}, "The operator: ", make("a", { href }, make("bdi", {}, title)), ...due));
  }
  if (instead !== undefined) {
    const code = make("code", {}, instead.url);
    code.dataset["copy"] = "";
    card.append(make("p", {}, `${advice}: `, code));
  }
  return card;
}

/** The script shows it relative to now. */
function timeOf(dateTime: string, className = ""): HTMLTimeElement {
  return make("time", { dateTime, className });
}
