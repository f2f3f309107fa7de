import { text } from "node:stream/consumers";
import { serve } from "./serving.ts";

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
  const { url } = await serve(async ({ request, response, path }) => {
    const { method = "", headers } = request;
    requests.push({ method, path, headers, body: await text(request) });
    response.writeHead(started.status).end();
  });
  return Object.assign(started, { url });
}
