import { once } from "node:events";
import { serveSite } from "../site/serve.ts";
import type { ExitCode, Setting } from "./setting.ts";

export interface ServeOptions {
  readonly out: string;
  readonly host: string;
  readonly port: number;
}

/** Previews a site with the routing of the contract until it is interrupted. */
export async function serve({ out, host, port }: ServeOptions, setting: Setting): Promise<ExitCode> {
  const server = await serveSite(out, { host, port });
  setting.tell(`Serving ${out} at ${server.url} (Ctrl-C ends it)`);
  if (!setting.interrupt.aborted) await once(setting.interrupt, "abort");
  await server.close();
  return 0;
}
