import { spawn } from "node:child_process";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { gitEnvironment } from "./git.ts";
import { type Handler, type RunningServer, startServer } from "./mirror-server.ts";
import { type Certificate, certificateFor } from "./certificates.ts";

export type GitRemote = RunningServer & Certificate;

export function authorization(token: string): string {
  return `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
}

/**
 * Serves a folder of repositories over HTTPS with the real `git http-backend`, pushes included. Requests need the token.
 * After `stallAfter` bytes an answer stalls forever.
 */
export async function startGitRemote(root: string, token: string, stallAfter?: number): Promise<GitRemote> {
  const certificate = await certificateFor("127.0.0.1");
  const server = await startServer(backend(root, token, stallAfter), { tls: certificate });
  return Object.assign(server, certificate);
}

function backend(root: string, token: string, stallAfter = Infinity): Handler {
  return async ({ request, response, path }) => {
    const { headers, method } = request;
    if (headers.authorization !== authorization(token)) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"', "content-type": "text/plain" });
      // Some servers echo the request.
      response.end(`No entry with ${headers.authorization ?? "nothing"}.\n`);
      return;
    }
    const [pathname, query] = path.split("?", 2);
    const variables = {
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      // Git allows any authenticated user to push.
      REMOTE_USER: "publisher",
      REQUEST_METHOD: method,
      PATH_INFO: pathname,
      QUERY_STRING: query ?? "",
      CONTENT_TYPE: headers["content-type"],
      CONTENT_LENGTH: headers["content-length"],
      HTTP_CONTENT_ENCODING: headers["content-encoding"],
      GIT_PROTOCOL: headers["git-protocol"]?.toString(),
    };
    const program = spawn("git", ["http-backend"], {
      env: { ...gitEnvironment, ...variables },
      stdio: ["pipe", "pipe", "ignore"],
    });
    const [, answer] = await Promise.all([
      pipeline(request, program.stdin),
      buffer(program.stdout),
      once(program, "close"),
    ]);
    const end = answer.indexOf("\r\n\r\n");
    for (const field of answer.toString("latin1", 0, end).split("\r\n")) {
      const [name = "", value = ""] = field.split(": ", 2);
      if (name === "Status") response.statusCode = Number(value.slice(0, 3));
      else response.setHeader(name, value);
    }
    const body = answer.subarray(end + 4);
    if (body.length > stallAfter) response.write(body.subarray(0, stallAfter));
    else response.end(body);
  };
}
