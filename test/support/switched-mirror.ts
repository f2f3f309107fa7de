import { advertisement } from "./advertisement.ts";
import { closeAfterFile } from "./close-after-test.ts";
import { type RunningServer, startServer } from "../../src/testbed/server.ts";

/** A good mirror that resets each connection while it is down. */
export type SwitchedMirror = RunningServer & { isDown: boolean };

/** Starts such a mirror, which is up at first, and ends when the tests of the file are done. */
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
