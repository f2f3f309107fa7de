import { hash } from "node:crypto";
import type { Routes } from "./serving.ts";
import { generateKey, parseSigningKey, signWith } from "../../src/features/trust/signing.ts";

export const [key, otherKey] = [generateKey(), generateKey()];

export const signedFields = {
  feed: "https://status.example.org",
  run: "r1",
  generated_at: "2026-03-10T12:00:00.000Z",
  expires_at: "2026-03-10T14:00:00.000Z",
};

const { feed: site_url, ...signedTimes } = signedFields;

/** The fields of the heartbeat that the comment repeats. */
export const signedHeartbeat = { site_url, ...signedTimes };

export function commentOf(fields: Readonly<Record<string, string>> = signedFields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}:${value}`)
    .join("\t");
}

export function sumsOf(documents: Readonly<Record<string, string>>): string {
  return Object.entries(documents)
    .map(([path, text]) => `${hash("sha256", text)}  ${path}\n`)
    .join("");
}

export function signatureOf(sums: string, comment = commentOf(), { secretKey } = key): string {
  return signWith(parseSigningKey(secretKey), sums, comment);
}

/** Signs a feed's documents, then replaces some answers. */
export function signedRoutes(routes: Routes, others: Routes = {}, comment = commentOf(), by = key): Routes {
  const documents = Object.entries(routes).map(([path, served]): [string, string] => {
    if (typeof served !== "object") throw new Error(`${path} is no document`);
    return [`${path.slice(1)}index.json`, JSON.stringify(served.document)];
  });
  const sums = sumsOf(Object.fromEntries(documents));
  return {
    ...routes,
    "/SHA256SUMS": { document: sums },
    "/SHA256SUMS.minisig": { document: signatureOf(sums, comment, by) },
    ...others,
  };
}
