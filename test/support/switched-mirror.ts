import { advertisement } from "./advertisement.ts";
import { closeAfterFile } from "./close-after-test.ts";
import { type RunningServer, startServer } from "../../src/testbed/server.ts";

/** A good mirror that resets each connection while it is down. */
export type SwitchedMirror = RunningServer & { isDown: boolean };

/** It is up at first, and stops after all tests in the file. */
export async function startSwitchedMirror(): Promise<SwitchedMirror> {
  const answer = advertisement();
  const mirror: SwitchedMirror = Object.assign(
    await startServer((exchange) => {
      if (mirror.isDown) exchange.reset();
      else return answer(exchange);
    }),
    { isDown: false },
  );
  return closeAfterFile(mirror);
}
