import { advertisement } from "./advertisement.ts";
import { closeAfterFile } from "./close-after-test.ts";
import { type RunningServer, startServer } from "./mirror-server.ts";

/** A good mirror that resets each connection while it is down. */
export type SwitchedMirror = RunningServer & { isDown: boolean };

/** Starts a mirror that is up at first. It is closed after all tests in the file. */
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
