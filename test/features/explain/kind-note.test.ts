import { expect, test } from "vitest";
import { listNodes, type Node } from "../../../src/core/config/nodes.ts";
import type { Observation } from "../../../src/core/probe/observation.ts";
import { kindNote } from "../../../src/features/explain/kind-note.ts";
import { notifiedConfig } from "../../support/notified-feed.ts";

const nodes = listNodes(notifiedConfig([{ id: 1 }, { id: 2 }], []));
const missing = { code: "http_status", http_status: 404 };
const notGit = { code: "not_git" };
const place = nodes[0]?.place;
const note =
  "no mirror answered like a Git repository. If they aren't Git repositories, set probe.kind to apt, http, pacman or rpm.";

type Seen = Pick<Observation, "code" | "http_status">;

function notesOf(seen: readonly (Seen | undefined)[], of: readonly Node[] = nodes): string[] {
  const probed = of.map((node, index) => {
    const answer = seen[index];
    return { node, observation: answer && { id: node.id, attempts: 1, checked_at: "", ...answer } };
  });
  return kindNote(probed);
}

test.each<[string, (Seen | undefined)[]]>([
  ["answered as Git", [missing, { code: "ok" }]],
  ["did not answer", [missing, { code: "timeout" }]],
  ["was not observed", [missing, undefined]],
])("no kind is suggested if one mirror of a target %s", (_, seen) => {
  expect(notesOf(seen)).toEqual([]);
});

test("a target without a Git repository gets a note that its kind may be missing", () => {
  expect(notesOf([missing, notGit])).toEqual([`${place}: ${note}`]);
  const archives = nodes.map((node) => ({ ...node, settings: { ...node.settings, kind: "rpm" as const } }));
  expect(notesOf([missing, notGit], archives)).toEqual([]);
});

test("several such targets share one note", () => {
  const others = nodes.map((node, index) => ({ ...node, place: `s/p/other${index}` }));
  expect(notesOf([missing, notGit, missing, notGit], [...nodes, ...others])).toEqual([
    `${place} and 2 more targets: ${note}`,
  ]);
});
