import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
}

/** Returns all running processes, without zombies. */
export async function processes(): Promise<Process[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,stat=,comm="]);
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state?.startsWith("Z") === false)
    .map(([pid, parent, , program = ""]) => ({ pid: Number(pid), parent: Number(parent), program }));
}

export async function gitDescendants(): Promise<Process[]> {
  const all = await processes();
  const below = (parent: number): Process[] =>
    all.filter((child) => child.parent === parent).flatMap((child) => [child, ...below(child.pid)]);
  return below(process.pid).filter(({ program }) => program.includes("git"));
}
