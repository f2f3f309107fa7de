import { hash } from "node:crypto";
import { documentPath, reportRoot } from "../../core/contract/contract.ts";
import { profiles } from "../hosts/host-registry.ts";
import { type CaseResult, describeReply } from "./check-answer.ts";
import { checkFeed } from "./check-feed.ts";
import { crawlPages } from "./crawl.ts";
import { isOk, isReadable, openRequests, type RequestOptions, type Send, Stopped } from "./requests.ts";

export interface VerifyOptions extends RequestOptions {
  /** One of `profiles`. */
  readonly profile: string;
}

/** How many documents, pages or files were checked, and how many there are. */
type Coverage = Readonly<Record<"checked" | "of", number>>;

export interface Verification {
  readonly cases: readonly CaseResult[];
  readonly checked: Readonly<Record<"documents" | "pages", Coverage>>;
  /** Why the verification stopped early. */
  readonly stopped?: string | undefined;
}

const nothing = { checked: 0, of: 0 };
const none: Verification = { cases: [], checked: { documents: nothing, pages: nothing } };

/** Checks the contract and the pages of a deployment. Rejects with the interrupt's reason. */
export async function verifySite(site: URL, options: VerifyOptions): Promise<Verification> {
  const capabilities = profiles.get(options.profile);
  if (capabilities === undefined) throw new Error(`There is no profile ${options.profile}.`);
  const { send, close } = openRequests(site, options);
  const check = async (): Promise<Verification> => {
    const { cases, documents } = await checkFeed(capabilities, send);
    return { cases: [...cases, ...(await checkSums(send))], checked: { ...none.checked, documents } };
  };
  let feed = none;
  try {
    feed = await check();
    // A new feed may have been published between the requests, so check once more.
    if (feed.cases.some(({ ok }) => !ok)) feed = await check();
    const { cases, pages } = await crawlPages(site, send);
    return { cases: [...feed.cases, ...cases], checked: { ...feed.checked, pages } };
  } catch (error) {
    if (error instanceof Stopped) return { ...feed, stopped: error.message };
    throw error;
  } finally {
    close();
  }
}

/** Checks the signature files of a signed feed. Returns no cases if the feed is not signed. */
async function checkSums(send: Send): Promise<CaseResult[]> {
  const files = ["/SHA256SUMS", "/SHA256SUMS.minisig"];
  const requests = [`/${reportRoot}/`, ...files].map((path) => send({ method: "GET", path }));
  const [heartbeat, ...replies] = await Promise.all(requests);
  const [sums] = replies;
  if (sums?.status !== 200) return [];
  const line = `${hash("sha256", heartbeat?.body ?? "")}  ${documentPath(reportRoot)}`;
  return [
    ...replies.map((reply, index) => ({
      method: "GET",
      path: files[index] ?? "",
      rule: "Pages on any site can read the signature files.",
      expected: "200, Access-Control-Allow-Origin: *",
      actual: describeReply(reply),
      ok: isOk(reply) && isReadable(reply),
    })),
    {
      method: "GET",
      path: `/${reportRoot}/`,
      rule: "The heartbeat matches its signed digest.",
      expected: "a document with its digest in SHA256SUMS",
      actual: line,
      ok: sums.body.toString().split("\n").includes(line),
    },
  ];
}

const maxFailures = 40;

/** Lists the failures, the host's limits that explain a deviation, and totals. */
export function verificationText({ cases, checked }: Verification): string {
  const number = (count: number): string => count.toLocaleString("en");
  const share = ({ checked: some, of }: Coverage): string => `${number(some)} of ${number(of)}`;
  const failures = cases.filter(({ ok }) => !ok);
  const more = failures.length - maxFailures;
  const notes = cases.flatMap(({ note }) => note ?? []);
  const isElsewhere = failures.some(({ path, actual }) => path === "/v1/network/" && /^404,/.test(actual));
  const lines = [
    ...failures
      .slice(0, maxFailures)
      .flatMap(({ method, path, rule, expected, actual }) => [
        `FAILED  ${method} ${path}: ${rule}`,
        `        expected  ${expected}`,
        `        actual    ${actual}`,
      ]),
    ...(isElsewhere ? ["There is no feed at this URL. If it is below a path, add the path to the URL."] : []),
    ...(more > 0 ? [`${number(more)} more failed; --json lists them all.`] : []),
    ...[...new Set(notes)].map((note) => `NOTE    ${note}`),
    `Checked ${share(checked.documents)} documents, and ${share(checked.pages)} pages and their files.`,
    `${number(cases.length)} cases: ${number(cases.length - failures.length)} passed, ${number(failures.length)} failed.`,
  ];
  return lines.join("\n");
}
