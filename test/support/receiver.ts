import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { startServer } from "./mirror-server.ts";

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Starts a server that records requests until the test ends. It answers with its `status`, initially 200. */
export async function receiver() {
  const requests: Received[] = [];
  const started = { url: "", status: 200, requests };
  const { url, close } = await startServer(async ({ request, response, path }) => {
    const { method = "", headers } = request;
    requests.push({ method, path, headers, body: await text(request) });
    response.writeHead(started.status).end();
  });
  onTestFinished(close);
  return Object.assign(started, { url });
}
