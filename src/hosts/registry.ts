import type { HostName } from "../config/schema.ts";
import { apache } from "./apache.ts";
import { caddy } from "./caddy.ts";
import { cloudflare } from "./cloudflare.ts";
import { cloudfront } from "./cloudfront.ts";
import { githubPages } from "./github-pages.ts";
import type { Host } from "./host.ts";
import { lighttpd } from "./lighttpd.ts";
import { netlify } from "./netlify.ts";
import { nginx } from "./nginx.ts";
import { vercel } from "./vercel.ts";

/** Every host by its name. */
export const hosts: Readonly<Record<HostName, Host>> = {
  "github-pages": githubPages,
  nginx,
  apache,
  caddy,
  lighttpd,
  cloudflare,
  netlify,
  vercel,
  cloudfront,
};
