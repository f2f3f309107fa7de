import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { errorDocuments } from "../../../src/core/contract/contract.ts";
import type { Status } from "../../../src/core/contract/network.ts";
import { contentOf } from "../../../src/core/base/files/site-file.ts";
import { writeSite } from "../../../src/core/site/write.ts";
import { renderContract } from "../../../src/app/render-site.ts";
import type { Host, HostInput } from "../../../src/features/hosts/host.ts";
import { type ContractCase, documentCases, edgeCases } from "../../support/contract/cases.ts";
import { type Answer, ask, expectAnswer, expectPage } from "../../support/contract/answers.ts";
import { contractCases, feedConfig, feedStatuses, writeFiles } from "../../support/contract/feed.ts";
import { pageCases, pageFiles } from "../../support/contract/pages.ts";
import { feedWith } from "../../support/feed-with.ts";
import { halfOnline, largeConfig } from "../../support/large-feed.ts";
import { closeAfterFile, closeAfterTest } from "../../support/close-after-test.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A site on disk for an engine to serve. */
export interface EngineSite extends HostInput {
  /** The absolute path of the site, which includes the host's files. */
  readonly root: string;
  /** A folder for the engine's other files. It is removed together with the site. */
  readonly scratch: string;
}

/** A running engine. `url` is the server's URL, without the base path. */
export interface Engine {
  readonly url: string;
  readonly close: () => Promise<unknown>;
}

export type StartEngine = (site: EngineSite) => Promise<Engine>;

export interface EngineOptions {
  /** The number of targets in the large feed (default: 5,000). Only hosts whose rules grow with the feed serve it. */
  readonly manyTargets?: number;
  /** Whether to restart the engine after a rebuild, because the real host would need a new deployment. */
  readonly restartsOnRebuild?: boolean;
  /**
   * Why the engine may break the contract in some cases, by case id. Even then, it must answer with a 4xx status and
   * leak nothing.
   */
  readonly exceptions?: Readonly<Record<string, string>>;
  /** Whether pages redirect to the path with a slash (default: true). */
  readonly redirectsPages?: boolean;
  /** Whether the site answers the base path without a slash (default: the value of `redirectsPages`). */
  readonly ownsBasePath?: boolean;
}

/**
 * Tests a host's real engine with a small feed, the same feed below a base path, a large feed if its rules grow with the feed,
 * and a rebuild.
 */
export function describeEngine(host: Host, start: StartEngine, options: EngineOptions = {}): void {
  for (const basePath of ["", "/status/feed"]) {
    describe(basePath === "" ? "at the root" : `below ${basePath}`, () => {
      const running = useEngine(host, start, { config: feedConfig, statuses: feedStatuses }, basePath);
      test.each(contractCases)("$id", async (one) => {
        await checkCase(host, one, running(), options.exceptions);
      });

      const { redirectsPages = true } = options;
      const cases = pageCases.filter((one) => redirectsPages || one.expect.kind !== "redirect");
      test.each(cases)("$method $path", async (one) => {
        const { url } = running().engine;
        const path = `${basePath}${one.path}`;
        expectPage(one, await ask(url, path, { method: one.method }), url, path);
      });

      test.skipIf(basePath === "" || !(options.ownsBasePath ?? redirectsPages))(
        "the page at the base path",
        async () => {
          const { status, headers } = await ask(running().engine.url, `${basePath}?x=1`);
          expect([status, headers.location]).toEqual([301, "./feed/?x=1"]);
        },
      );
    });
  }

  const { manyTargets = 5000 } = options;
  if (host.capabilities.rules === "named")
    describe(`with ${manyTargets} targets`, () => {
      const config = largeConfig(manyTargets);
      const running = useEngine(host, start, { config, statuses: halfOnline(config) });
      const cases = [...sample(documentCases(config.systems), 60), ...edgeCases(config.systems)];
      test.each(cases)("$id", async (one) => {
        await checkCase(host, one, running(), options.exceptions);
      });
    });

  test("after a rebuild that removed a target", async () => {
    const scratch = temporaryFolder("mirrorfeed-engine-");
    const build = (targets: number): Site => {
      const config = largeConfig(targets);
      return writeHostSite(host, { config, statuses: halfOnline(config) }, "", scratch);
    };
    let engine = closeAfterTest(await start(build(3)));
    const last = "/v1/network/large/all/t2";
    expect((await ask(engine.url, `${last}/1`)).status).toBe(200);
    const site = build(2);
    if (options.restartsOnRebuild === true) {
      await engine.close();
      engine = closeAfterTest(await start(site));
    }
    for (const path of [last, `${last}/`, `${last}/1`]) {
      const expect = { kind: "error", status: 403, name: "target" } as const;
      await checkCase(host, { id: path, method: "GET", path, expect }, { engine, site });
    }
    expect((await ask(engine.url, "/v1/network/large/all/t1/1")).status).toBe(200);
  });
}

interface Site extends EngineSite {
  /** The content of the site's files, by path. */
  readonly documents: ReadonlyMap<string, Buffer>;
}

interface Running {
  readonly engine: Engine;
  readonly site: Site;
}

interface Published {
  readonly config: Config;
  readonly statuses: ReadonlyMap<number, Status>;
}

/** Serves a site during the suite. */
function useEngine(host: Host, start: StartEngine, feed: Published, basePath = ""): () => Running {
  let running: Running;
  beforeAll(async () => {
    const site = writeHostSite(host, feed, basePath, temporaryFolder("mirrorfeed-engine-"));
    running = { engine: closeAfterFile(await start(site)), site };
  });
  return () => running;
}

/** Writes a feed's contract documents, the host's files and the rest of the site. */
function writeHostSite(host: Host, { config, statuses }: Published, basePath: string, scratch: string): Site {
  const root = join(scratch, "site");
  const url = `https://status.example.org${basePath}`;
  const site = { ...config.site, host: host.name, url };
  const contract = renderContract(feedWith({ ...config, site }, statuses));
  writeSite(root, contract);
  writeFiles(root, pageFiles);
  const files = [...contract, ...pageFiles];
  const documents = new Map(files.map((file) => [file.path, Buffer.from(contentOf(file))]));
  return { root, scratch, documents, feed: config.systems, basePath };
}

/** Sends one case's request below the base path, and compares the answer with the host's declared capabilities. */
async function checkCase(
  host: Host,
  one: ContractCase,
  { engine, site: { documents, basePath } }: Running,
  exceptions: EngineOptions["exceptions"] = {},
): Promise<void> {
  const answer = await ask(engine.url, `${basePath}${one.path}`, { method: one.method });
  if (Object.hasOwn(exceptions, one.id)) {
    expect(Math.floor(answer.status / 100)).toBe(4);
    expectAnswer({ ...one, expect: { kind: "contained" } }, answer, documents);
    return;
  }
  const expected = asCapable(host, one, answer);
  if (expected !== undefined) expectAnswer(expected, answer, documents);
}

/**
 * Adapts a case's expected answer to what the host can do. If the host can't send the contract's 405, checks only the
 * status and returns undefined.
 */
function asCapable({ capabilities }: Host, one: ContractCase, answer: Answer): ContractCase | undefined {
  const { expect: contract } = one;
  if (contract.kind !== "error") return one;
  const { code } = errorDocuments["not-found"];
  const notFound: ContractCase = { ...one, expect: { kind: "error", status: code, name: "not-found" } };
  if ([400, 403].includes(contract.status) && capabilities.errors === "not-found") return notFound;
  if (contract.status === 405 && capabilities.methodNotAllowed !== "full") {
    if (capabilities.methodNotAllowed === "own-body") expect(answer.status).toBe(405);
    else expect(answer.status).toBeGreaterThanOrEqual(400);
    return undefined;
  }
  return one;
}

function sample(cases: readonly ContractCase[], count: number): ContractCase[] {
  const step = Math.max(1, Math.floor(cases.length / count));
  return cases.filter((_, index) => index % step === 0);
}
