import { describe, expect, test } from "vitest";
import { Interrupted } from "../../src/errors.ts";
import { Deadline } from "../../src/probe/deadline.ts";

function heard(deadline: Deadline, name: string, names: string[]) {
  const listener = { handleEvent: () => void names.push(name) };
  deadline.addEventListener("abort", listener);
  return listener;
}

describe("a deadline", () => {
  test("ends as a timeout, and tells all who listen", async () => {
    const deadline = new Deadline(10);
    const names: string[] = [];
    heard(deadline, "one", names);
    await new Promise<void>((resolve) => {
      deadline.addEventListener("abort", { handleEvent: resolve });
    });
    expect(deadline).toMatchObject({ aborted: true, reason: { code: "timeout" } });
    expect(names).toEqual(["one"]);
  });

  test("ends once, with the reason of who was first", () => {
    const deadline = new Deadline(60_000);
    const names: string[] = [];
    heard(deadline, "one", names);
    const reason = new Interrupted();
    deadline.abort(reason);
    deadline.abort(new Error("later"));
    expect(deadline.reason).toBe(reason);
    expect(names).toEqual(["one"]);
  });

  test("tells nobody who has left, also while it tells the others", () => {
    const deadline = new Deadline(60_000);
    const names: string[] = [];
    const gone = heard(deadline, "gone", names);
    deadline.addEventListener("abort", {
      handleEvent: () => {
        deadline.removeEventListener("abort", last);
      },
    });
    const last = heard(deadline, "last", names);
    deadline.removeEventListener("abort", gone);
    deadline.removeEventListener("abort", gone);
    deadline.abort(new Interrupted());
    expect(names).toEqual([]);
  });

  test("keeps no process alive once it is cleared or over", () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const [cleared, over] = [new Deadline(60_000), new Deadline(60_000)];
    expect(timers()).toBe(before + 2);
    cleared.clear();
    over.abort(new Interrupted());
    expect(timers()).toBe(before);
  });
});
