import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** Tells a killed run from a live one. It is passed in, since only src/cli.ts uses the process. */
export interface Processes {
  readonly own: number;
  readonly isAlive: (pid: number) => boolean;
}

/** The process that made a file, as the file's name or content states it. */
export interface Signature {
  readonly host: string;
  /** The number of the process, or 0 if the process does not know it. */
  readonly pid: number;
  readonly id: string;
}

/** A process number is unique within one machine or container only, and several may share the folder. */
const machine = hostname().replaceAll(/[^\w-]/g, "_");
const pattern = /^(?<host>[\w-]*)\.(?<pid>\d{1,10})\.(?<id>[\da-f-]{36})$/;
const noProcess = 0;

/** Returns a signature that no other process has. */
export function newSignature(processes: Processes | undefined): Signature {
  return { host: machine, pid: processes?.own ?? noProcess, id: randomUUID() };
}

/** Returns a signature as text for a part of a file name. */
export function formatSignature({ host, pid, id }: Signature): string {
  return `${host}.${pid}.${id}`;
}

/** Returns the signature in a text, or undefined if it is not a signature. */
export function parseSignature(text: string): Signature | undefined {
  const { host, pid, id } = pattern.exec(text)?.groups ?? {};
  return host === undefined || pid === undefined || id === undefined
    ? undefined
    : { host, pid: Number(pid), id };
}

/**
 * Returns whether the signer is certainly dead. A signature with the number of this process that is not among its `own`
 * ones is of an earlier process, as in a container.
 */
export function isFromDeadProcess(
  { host, pid, id }: Signature,
  processes: Processes,
  own: ReadonlySet<string> = new Set(),
): boolean {
  if (host !== machine || pid === noProcess) return false;
  return pid === processes.own ? !own.has(id) : !processes.isAlive(pid);
}
