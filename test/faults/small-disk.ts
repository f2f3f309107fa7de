import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A file system in memory that only this test sees. */
export interface SmallDisk {
  /** Where it is to be found, from outside too. */
  readonly folder: string;
  /** Leaves room for so many blocks, or so many files, and gives what makes room again. */
  readonly fill: (room: { readonly blocks: number } | { readonly files: number }) => () => void;
  /** Changes how it is mounted, as by `mount -o remount,OPTIONS`. */
  readonly remount: (options: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const isRoot = process.getuid?.() === 0;
/** A namespace of its own for the mount; who is not root is it in a user namespace of its own. */
const unshare = ["--mount", ...(isRoot ? [] : ["--user", "--map-root-user"])];

/** Whether this user may mount a file system that only its own processes see. */
export const canMount =
  process.platform === "linux" &&
  spawnSync("unshare", [...unshare, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" }).status ===
    0;

/** Mounts a disk of this size. Throws where that cannot be. */
export async function mountSmallDisk(size: string): Promise<SmallDisk> {
  const place = temporaryFolder();
  const shell = spawn("unshare", [...unshare, "sh", "-e"], { stdio: ["pipe", "pipe", "inherit"] });
  const exit = once(shell, "exit").then(() => Promise.reject(new Error("The mount failed.")));
  const log = async (command: string): Promise<void> => {
    shell.stdin.write(`${command}\necho done\n`);
    await Promise.race([once(shell.stdout, "data"), exit]);
  };
  exit.catch(() => undefined);
  await log(`mount -t tmpfs -o size=${size},nr_inodes=1000,mode=755 tmpfs ${place}`);
  // See proc(5): what another process sees from its root on.
  const folder = `/proc/${shell.pid}/root${place}`;
  const fill: SmallDisk["fill"] = (room) => {
    const filler = join(folder, "filler");
    if ("blocks" in room) {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail - room.blocks) * bsize));
      return () => {
        rmSync(filler);
      };
    }
    const { ffree } = statfsSync(folder);
    const names = Array.from({ length: Math.max(0, ffree - room.files) }, (_, index) => `${filler}-${index}`);
    for (const name of names) writeFileSync(name, "");
    return () => {
      for (const name of names) rmSync(name);
    };
  };
  return {
    folder,
    fill,
    remount: (options) => log(`mount -o remount,${options} ${place}`),
    close: async () => {
      const ended = once(shell, "exit");
      shell.stdin.end();
      await ended;
    },
  };
}
