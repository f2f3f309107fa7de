import { once } from "node:events";
import type { Command } from "@commander-js/extra-typings";
import { type Execute, type Notes, parsePort, sharedOptions } from "../../core/command/command.ts";

export const notes: Notes = {
  examples: ["mirrorfeed serve --address 0.0.0.0 --port 9000", "mirrorfeed serve --out /srv/site --port 0"],
};

export function declare(command: Command, execute: Execute): void {
  command
    .option(...sharedOptions.out)
    .option("--port <number>", "the port to listen on; 0 picks a free one", parsePort, 8080)
    .option("--address <address>", "the address to listen on", "127.0.0.1")
    .action(({ out: folder, address, port }) =>
      execute(async ({ interrupt, log }) => {
        const { serveSite } = await import("./serve.ts");
        const server = await serveSite(folder, { host: address, port });
        log(`Serving ${folder} at ${server.url} (press Ctrl-C to stop)`);
        if (!interrupt.aborted) await once(interrupt, "abort");
        await server.close();
        return 0;
      }),
    );
}
