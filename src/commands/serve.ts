import { once } from "node:events";
import { serveSite } from "../site/serve.ts";
import type { ExitCode, CommandContext } from "../base/terminal/context.ts";

export interface ServeOptions {
  readonly out: string;
  /** The address to listen on. */
  readonly address: string;
  readonly port: number;
}

/** Previews a site with the routing of the contract until it is interrupted. */
export async function serve(
  { out, address, port }: ServeOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const server = await serveSite(out, { host: address, port });
  context.log(`Serving ${out} at ${server.url} (Ctrl-C ends it)`);
  if (!context.interrupt.aborted) await once(context.interrupt, "abort");
  await server.close();
  return 0;
}
