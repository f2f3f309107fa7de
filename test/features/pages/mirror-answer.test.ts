import { expect, test } from "vitest";
import { answerAbout, type IndexedMirror } from "../../../src/features/pages/mirror-answer.ts";

let id = 0;

function mirror(name: string, state: string, more: Partial<IndexedMirror> = {}): IndexedMirror {
  id += 1;
  const url = `https://${name}.example.org`;
  const known = { id, name, url, target: "a/b/c", href: url, states: [state], notice: undefined };
  return { country: undefined, uptime: undefined, latency: undefined, ...known, ...more };
}

const refused = { reason: "It refused the connection", country: "DE" };
const offline = mirror("fau", "offline", refused);
const notice = { title: "New disks", href: "incidents/disks/" };
const others = [
  mirror("noticed", "online", { notice }),
  mirror("best", "online", { country: "FR" }),
  mirror("near", "online", { country: "DE" }),
  mirror("late", "behind"),
  mirror("resting", "maintenance"),
  mirror("elsewhere", "online", { target: "a/b/d", country: "DE" }),
];

test("an offline mirror is not the reader's fault, and the best other one in its country is named", () => {
  const answer = answerAbout(offline, [offline, ...others], false);
  expect(answer).toMatchObject({
    state: "offline",
    before: "Not you: ",
    verdict: "is offline",
    facts: ["It refused the connection", "5 of 5 others are reachable"],
    advice: "Until then (same country)",
  });
  expect(answer.instead?.name).toBe("near");
});

test("without another in its country, the first of the list is named, but none with a notice and none of another target", () => {
  const abroad = { ...offline, country: "JP" };
  const answer = answerAbout(abroad, [offline, ...others], false);
  expect([answer.instead?.name, answer.advice]).toEqual(["best", "Until then"]);
  const bad = others.filter(({ name }) => name !== "best" && name !== "near");
  expect(answerAbout(offline, [offline, ...bad], false).instead).toBeUndefined();
});

const another = "Another mirror";
const retry = "If it fails for you, try another network or another mirror";
const lag = "3 days older than the reference";
test.each([
  ["online", { latency: 1155 }, "answers us", ["1,155 ms on average"], retry],
  ["behind", { reason: lag }, "answers us, but is behind", [lag], another],
  ["wrong", { reason: "Expired" }, "answers us, but has wrong content", ["Expired"], "Until then"],
  ["maintenance", { reason: "new disks" }, "is in maintenance", ["new disks"], "Until then"],
  ["unknown", {}, "has not been observed yet", [], another],
])("a mirror that is %s", (state, more, verdict, facts, advice) => {
  const answer = answerAbout(mirror("one", state, more), others, false);
  expect(answer).toMatchObject({ before: "", verdict, facts, advice });
});

test("an expired feed speaks of its last run, and blames nobody for now", () => {
  expect(answerAbout(offline, [offline, ...others], true).before).toBe("At the last run: ");
});
