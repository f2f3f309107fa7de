import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeAfterTest } from "./close-after-test.ts";
import { listenOnLoopback } from "./loopback.ts";
import { parseDeploymentUrl } from "../../src/core/base/text/url.ts";
import { errorDocuments, errorPath } from "../../src/core/contract/contract.ts";
import { route } from "../../src/core/contract/routing.ts";
import { verifySite, type VerifyOptions } from "../../src/features/verify/verify.ts";
import { transportFor } from "./probing.ts";

export interface Draft {
  status: number;
  headers: Record<string, string>;
  body: Buffer | string;
}

/** Changes an answer, or returns undefined to handle the response itself, for example by never answering. */
export type Tamper = (draft: Draft, request: IncomingMessage, response: ServerResponse) => Draft | undefined;

/**
 * Serves documents from memory until the test ends. Answers follow the contract, except where `tamper` changes them. `asked`
 * has the request targets as received. `maxAtOnce` counts the requests that were open at the same time.
 */
export async function deploy(
  documents: ReadonlyMap<string, Buffer | string>,
  tamper: Tamper = (draft) => draft,
) {
  const asked: string[] = [];
  let open = 0;
  let max = 0;
  let connections = 0;
  let maxConnections = 0;
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    asked.push(url);
    open += 1;
    max = Math.max(max, open);
    response.on("close", () => (open -= 1));
    request.resume();
    const draft = tamper(keepContract(documents, method, url), request, response);
    if (draft === undefined) return;
    response.writeHead(draft.status, { ...draft.headers, "Content-Length": Buffer.byteLength(draft.body) });
    response.end(draft.body);
  });
  server.on("connection", (socket) => {
    connections += 1;
    maxConnections = Math.max(maxConnections, connections);
    socket.on("close", () => (connections -= 1));
  });
  const { url } = closeAfterTest(await listenOnLoopback(server));
  return { url, asked, maxAtOnce: () => max, maxConnections: () => maxConnections };
}

/** Verifies a deployment, by default with all that the contract asks for. */
export async function verify(url: string, options: Partial<VerifyOptions> = {}) {
  const verification = await verifySite(parseDeploymentUrl(url), {
    profile: "full",
    transport: transportFor(),
    interrupt: new AbortController().signal,
    now: () => performance.now(),
    ...options,
  });
  const { cases } = verification;
  const failures = cases.filter(({ ok }) => !ok);
  return {
    ...verification,
    failures,
    failed: [...new Set(failures.map(({ method, path }) => `${method} ${path}`))],
    noted: cases.flatMap(({ method, path, note }) => (note === undefined ? [] : [`${method} ${path}`])),
  };
}

function keepContract(documents: ReadonlyMap<string, Buffer | string>, method: string, url: string): Draft {
  const headers = {
    "Content-Type": "application/json",
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "max-age=60",
  };
  const found = route(method, url, (path) => documents.has(path));
  if (found.kind === "file") return { status: 200, headers, body: documents.get(found.path) ?? "" };
  if (found.kind === "redirect")
    return { status: 301, headers: { ...headers, Location: found.location }, body: "" };
  return {
    status: errorDocuments[found.name].code,
    headers: { ...headers, ...(found.name === "method" ? { Allow: "GET, HEAD" } : {}) },
    body: documents.get(errorPath(found.name)) ?? "{}",
  };
}
