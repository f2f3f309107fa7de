import * as z from "zod";
import { parseUrl } from "../text/url.ts";

/** The schema of a URL that stands in mirrors.json, so that it holds no password. */
export const publicUrl = z
  .url({ protocol: /^https?$/, error: "must be a URL that begins with https://" })
  .refine((text) => withoutSecrets(text), {
    error: "must not hold a user or a password: mirrors.json is public; name their variables",
  })
  .meta({ title: "URL" });

/** Returns the URL of a path below another URL, whose query and fragment are left out. */
export function below(base: string, path: string): URL {
  const url = new URL(base);
  return new URL(`${url.origin}${url.pathname.replace(/\/*$/, "/")}${path}`);
}

function withoutSecrets(text: string): boolean {
  const { username, password } = parseUrl(text) ?? { username: "", password: "" };
  return username === "" && password === "";
}
