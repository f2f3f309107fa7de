import { createHmac } from "node:crypto";
import { failed } from "./delivering.ts";

/** What the key of a signature may be, in bytes. */
const [minBytes, maxBytes] = [24, 64];

/** Base64 of whole groups, with or without the padding. */
const secretPattern = /^(?:whsec_)?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)$/;

/**
 * Returns the headers that name and sign a body by Standard Webhooks 1.0.0
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md): HMAC-SHA256 over id,
 * timestamp and body. Throws a DeliveryFailure if the secret is not one of that specification.
 */
export function signatureHeaders(id: string, atMs: number, body: string, secret: string): string[] {
  const key = Buffer.from(secretPattern.exec(secret.trim())?.[1] ?? "", "base64");
  if (key.length < minBytes || key.length > maxBytes) {
    throw failed(
      `The secret of its signature is not whsec_ and Base64 of ${minBytes} to ${maxBytes} bytes; make one with "openssl rand -base64 32".`,
    );
  }
  const timestamp = String(Math.floor(atMs / 1000));
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return ["webhook-id", id, "webhook-timestamp", timestamp, "webhook-signature", `v1,${signature}`];
}
