import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** What tells a killed run from a live one; passed in, since only src/cli.ts owns the process. */
export interface Processes {
  readonly own: number;
  readonly isAlive: (pid: number) => boolean;
}

/** Who made a file, as its name or its content says. */
export interface Signature {
  readonly host: string;
  /** The number of the process, 0 where it does not know its own. */
  readonly pid: number;
  readonly id: string;
}

/** A process number means nothing on another machine or in another container, which may share the folder. */
const machine = hostname().replaceAll(/[^\w-]/g, "_");
const pattern = /^(?<host>[\w-]*)\.(?<pid>\d{1,10})\.(?<id>[\da-f-]{36})$/;
const noProcess = 0;

/** A signature that nobody else has or will have. */
export function newSignature(processes: Processes | undefined): Signature {
  return { host: machine, pid: processes?.own ?? noProcess, id: randomUUID() };
}

/** A signature as text that may be a part of a file's name. */
export function signatureText({ host, pid, id }: Signature): string {
  return `${host}.${pid}.${id}`;
}

/** The signature that is this text; undefined where it is none. */
export function readSignature(text: string): Signature | undefined {
  const { host, pid, id } = pattern.exec(text)?.groups ?? {};
  return host === undefined || pid === undefined || id === undefined
    ? undefined
    : { host, pid: Number(pid), id };
}

/**
 * Whether who signed is certainly dead. What bears the number of this very process, and is not among its `own`
 * signatures, is of an earlier process, as in a container.
 */
export function isOfDead(
  { host, pid, id }: Signature,
  processes: Processes,
  own: ReadonlySet<string> = new Set(),
): boolean {
  if (host !== machine || pid === noProcess) return false;
  return pid === processes.own ? !own.has(id) : !processes.isAlive(pid);
}
