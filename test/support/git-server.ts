import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Environment } from "../../src/core/base/git/child-process.ts";
import type { Handler } from "../../src/features/demo/mirror-server.ts";

const headEnd = "\r\n\r\n";

/**
 * Serves one repository, or all in a folder, with `git http-backend`, a CGI program (RFC 3875). Cloning and fetching
 * work; pushing is refused.
 */
export function gitServer(root: string, environment: Environment): Handler {
  return async ({ request, response, path }) => {
    const program = spawn("git", ["http-backend"], {
      env: { ...environment, ...requestVariables(request, path), GIT_PROJECT_ROOT: root },
      stdio: ["pipe", "pipe", "ignore"],
    });
    // Not SIGKILL: Git passes SIGTERM on to its children.
    response.once("close", () => program.kill("SIGTERM"));
    // Waits for all three, which end even if the client disconnects early.
    await Promise.allSettled([
      pipeline(request, program.stdin),
      pipeline(program.stdout, (source) => readHead(source, response), response),
      once(program, "close"),
    ]);
  };
}

function requestVariables(request: IncomingMessage, path: string): Record<string, string | undefined> {
  const [pathname = "", query = ""] = path.split("?", 2);
  const { headers, method, socket } = request;
  return {
    GIT_HTTP_EXPORT_ALL: "1",
    REQUEST_METHOD: method,
    // Not decoded, although CGI requires it: repository names need no decoding, and a client could encode bytes that an
    // environment variable cannot contain.
    PATH_INFO: pathname,
    QUERY_STRING: query,
    CONTENT_TYPE: headers["content-type"],
    CONTENT_LENGTH: headers["content-length"],
    REMOTE_ADDR: socket.remoteAddress,
    HTTP_CONTENT_ENCODING: headers["content-encoding"],
    GIT_PROTOCOL: headers["git-protocol"]?.toString(),
  };
}

/** Copies the header block of a CGI answer to the response and yields the rest. */
async function* readHead(source: AsyncIterable<Buffer>, response: ServerResponse): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of source) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(headEnd);
    if (end < 0) continue;
    writeHead(head.toString("latin1", 0, end), response);
    yield head.subarray(end + headEnd.length);
    head = undefined;
  }
  if (head !== undefined) {
    response.writeHead(500, { "content-type": "text/plain" });
    yield Buffer.from("git http-backend gave no answer.\n");
  }
}

function writeHead(block: string, response: ServerResponse): void {
  const fields = block.split("\r\n").map((line) => {
    const colon = line.indexOf(":");
    return { name: line.slice(0, colon).toLowerCase(), value: line.slice(colon + 1).trim() };
  });
  for (const { name, value } of fields) {
    if (name === "status") response.statusCode = Number(value.slice(0, 3));
    else response.setHeader(name, value);
  }
}
