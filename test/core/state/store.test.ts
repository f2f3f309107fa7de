import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../../src/core/state/branch-store.ts";
import type { StateStore } from "../../../src/core/state/store.ts";
import { everything } from "../../support/folder.ts";
import { newRemote } from "../../support/git.ts";
import { adding, never, storeOptions } from "../../support/storing.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe.each(["file", "branch"])("a state in a %s", (place) => {
  let store: StateStore;
  /** The folder that contains everything the store writes. */
  let folder: string;

  beforeEach(async () => {
    const remote = await newRemote();
    const file = join(temporaryFolder(), "state.json");
    folder = place === "file" ? dirname(file) : remote;
    store = openStore(place === "file" ? file : "branch:mirrorfeed-state", storeOptions({ remote }));
  });

  test("is not touched by an update that changes nothing, or that fails, and can be stored again", async () => {
    await store.save(() => "one");
    await store.save(() => "two");
    const before = everything(folder);
    await store.save((current) => current ?? "");
    await expect(store.save(never)).rejects.toThrow("The text was asked for.");
    expect(everything(folder)).toEqual(before);
    await store.save(() => "three");
    expect(await store.load()).toBe("three");
  });

  test("of 10 MB is read and stored", async () => {
    const text = "0123456789abcdef".repeat(640 * 1024);
    await store.save(() => text);
    await store.save(adding("."));
    expect(await store.load()).toBe(`${text}.\n`);
  });
});
