import { InputError } from "../errors.ts";
import type { Shard } from "../probe/observation.ts";
import { vantagePattern } from "../probe/vantage.ts";
import { quote } from "../quote.ts";

/** A TCP port, 0 being any free one. Throws InputError for what is none. */
export function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InputError(`${quote(text)} is no port; a port is a number from 0 to 65535.`);
}

/** An address and a port to listen on; every address where there is a port alone. Throws InputError for what is none. */
export function readListen(text: string): { address: string; port: number } {
  const [, address = "", port = ""] = /^(?:(\[[0-9a-fA-F:.]+\]|[\w.-]+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === "" || Number(port) > 65_535) {
    throw new InputError(
      `${quote(text)} is no address with a port; write it as 127.0.0.1:8080 or [::1]:8080.`,
    );
  }
  return { address: address.replace(/^\[|\]$/g, "") || "0.0.0.0", port: Number(port) };
}

const units = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

/** A time such as 500ms, 60s, 5m, 1h or 2d, in milliseconds; NaN for what is none. */
export function timeOf(text: string): number {
  const [, amount, unit = ""] = /^(\d{1,6})(ms|[smhd])$/.exec(text) ?? [];
  return Number(amount) * (units.get(unit) ?? Number.NaN);
}

/** A beat such as 60s, 5m or 1h, in milliseconds. Throws InputError for what is none, or too short or too long. */
export function readTime(text: string): number {
  const ms = timeOf(text);
  if (ms >= 1000 && ms <= 7 * 24 * 3_600_000) return ms;
  throw new InputError(`${quote(text)} is no beat; write it as 60s, 5m or 1h, from a second to seven days.`);
}

/** The name of a vantage. Throws InputError for what is none. */
export function readVantage(text: string): string {
  if (vantagePattern.test(text)) return text;
  throw new InputError(
    `${quote(text)} is no vantage; name it with 1 to 63 lower-case letters, digits or . _ -.`,
  );
}

/** A shard such as 2/3, the second of three. Throws InputError for what is none. */
export function readShard(text: string): Shard {
  const [index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text)?.slice(1) ?? []).map(Number);
  if (index >= 1 && index <= count && count <= 1000) return { index, count };
  throw new InputError(
    `${quote(text)} is no shard; write it as 2/3, the second of three; 1000 are the most.`,
  );
}

/** The id of a run. Throws InputError for what is none. */
export function readRunId(text: string): string {
  if (/^[\w.:@/+-]{1,200}$/.test(text)) return text;
  throw new InputError(`${quote(text)} is no id of a run; use 1 to 200 letters, digits or . _ : @ / + -.`);
}
