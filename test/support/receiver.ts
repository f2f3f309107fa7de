import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { startServer } from "./mirror-server.ts";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Starts a server that records requests until the test ends. It answers with its `status`, initially 200. */
export async function receiver(): Promise<{
  url: string;
  status: number;
  /** Called before each answer. */
  onRequest: () => void;
  requests: readonly Received[];
  /** Resolves with the first matching request, past or future. */
  first: (isRight: (request: Received) => boolean) => Promise<Received>;
}> {
  const requests: Received[] = [];
  const waiting = new Set<() => void>();
  const server = await startServer(async ({ request, response, path }) => {
    const { method = "", headers } = request;
    requests.push({ method, path, headers, body: await text(request) });
    started.onRequest();
    response.writeHead(started.status).end();
    for (const wake of waiting) wake();
  });
  onTestFinished(() => server.close());
  const started = {
    url: server.url,
    status: 200,
    onRequest: () => {},
    requests,
    first: (isRight: (request: Received) => boolean) =>
      new Promise<Received>((resolve) => {
        const wake = (): void => {
          const found = requests.find(isRight);
          if (found === undefined) return;
          waiting.delete(wake);
          resolve(found);
        };
        waiting.add(wake);
        wake();
      }),
  };
  return started;
}
