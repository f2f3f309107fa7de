import { hash } from "node:crypto";
import { quote } from "../../core/base/text/quote.ts";
import { documentPath, reportRoot } from "../../core/contract/contract.ts";
import { type CaseResult, describeReply } from "./check-answer.ts";
import type { Send, VerifyReply } from "./requests.ts";

/** Checks the signature files of a signed feed. Returns no cases if the feed is not signed. */
export async function checkSums(send: Send): Promise<CaseResult[]> {
  const [sumsPath, signaturePath, heartbeatPath] = ["/SHA256SUMS", "/SHA256SUMS.minisig", `/${reportRoot}/`];
  const sums = await send({ method: "GET", path: sumsPath });
  if (sums?.kind !== "answer" || sums.status !== 200) return [];
  const signature = await send({ method: "GET", path: signaturePath });
  const heartbeat = await send({ method: "GET", path: heartbeatPath });
  if (signature === undefined || heartbeat === undefined) return [];
  const line = `${heartbeat.kind === "answer" ? hash("sha256", heartbeat.body) : ""}  ${documentPath(reportRoot)}`;
  const isNamed = sums.body.toString().split("\n").includes(line);
  const readable = "Pages on any site can read the signature files.";
  return [
    caseOf(sumsPath, readable, "200, Access-Control-Allow-Origin: *", sums, isReadable(sums)),
    caseOf(signaturePath, readable, "200, Access-Control-Allow-Origin: *", signature, isReadable(signature)),
    caseOf(heartbeatPath, "The heartbeat matches its signed digest.", quote(line), heartbeat, isNamed),
  ];
}

function caseOf(path: string, rule: string, expected: string, reply: VerifyReply, ok: boolean): CaseResult {
  return { method: "GET", path, rule, expected, actual: describeReply(reply), ok };
}

function isReadable(reply: VerifyReply): boolean {
  return (
    reply.kind === "answer" &&
    reply.status === 200 &&
    reply.whole &&
    reply.headers["access-control-allow-origin"] === "*"
  );
}
