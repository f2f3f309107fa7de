import { gitServer } from "./git-server.ts";
import { gitEnvironment } from "./git.ts";
import { type RunningServer, startServer } from "./mirror-server.ts";
import { type Certificate, certificateFor } from "./certificates.ts";

export type GitRemote = RunningServer & Certificate;

export function authorization(token: string): string {
  return `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
}

/** Serves a folder of repositories over HTTPS, pushes included. Requests need the token. */
export async function startGitRemote(root: string, token: string): Promise<GitRemote> {
  const certificate = await certificateFor("127.0.0.1");
  // Git allows any authenticated user to push.
  const serve = gitServer(root, { ...gitEnvironment, REMOTE_USER: "publisher" });
  const server = await startServer(
    (exchange) => {
      const { authorization: sent } = exchange.request.headers;
      if (sent === authorization(token)) return serve(exchange);
      // Some servers echo the request.
      exchange.response
        .writeHead(401, { "www-authenticate": 'Basic realm="git"', "content-type": "text/plain" })
        .end(`No entry with ${sent ?? "nothing"}.\n`);
    },
    { tls: certificate },
  );
  return Object.assign(server, certificate);
}
