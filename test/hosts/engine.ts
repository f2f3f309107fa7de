import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Config } from "../../src/config/schema.ts";
import { errorDocuments, type FeedNames } from "../../src/contract.ts";
import type { Host, HostInput } from "../../src/hosts/host.ts";
import { renderContract } from "../../src/render/site.ts";
import type { SiteFile } from "../../src/site-file.ts";
import { type ContractCase, contractCases, documentCases, edgeCases } from "../../src/site/verify/cases.ts";
import { readDeployment } from "../../src/site/verify/client.ts";
import { verifySite } from "../../src/site/verify/verify.ts";
import { writeSite } from "../../src/site/write.ts";
import type { Status } from "../../src/state/verdict.ts";
import { type Answer, ask, expectAnswer } from "../contract/answers.ts";
import { feedConfig, feedStatuses } from "../contract/feed.ts";
import { halfOnline, largeConfig } from "./large-feed.ts";

/** A site on disk, as an engine gets it. */
export interface EngineSite extends HostInput {
  /** The absolute path of the site, files of the host included. */
  readonly root: string;
  /** A folder for what the engine needs beside the site; removed with it. */
  readonly scratch: string;
}

/** A running engine; `url` is that of the server, without the base path. */
export interface Engine {
  readonly url: string;
  readonly close: () => Promise<unknown>;
}

export type StartEngine = (site: EngineSite) => Promise<Engine>;

export interface EngineOptions {
  /** 5,000 where it is left out; less only where the engine itself takes no more, which the test's title then says. */
  readonly manyTargets?: number;
  /** Whether the engine must be started again to see a rebuilt site, as a deployment is. */
  readonly restartsOnRebuild?: boolean;
  /** The ids of cases in which the engine itself differs, with the reasons: those answer a 4xx and leak nothing. */
  readonly exceptions?: Readonly<Record<string, string>>;
}

/** Drives a host's real engine through all cases: a small feed, the same below a base path, a large one, a rebuild. */
export function describeEngine(host: Host, start: StartEngine, options: EngineOptions = {}): void {
  for (const basePath of ["", "/status/feed"]) {
    describe(basePath === "" ? "at the root" : `below ${basePath}`, () => {
      const running = useEngine(host, start, feedConfig, feedStatuses, basePath);
      test.each(contractCases(feedConfig.systems))("$id", async (one) => {
        await checkCase(host, one, running(), options.exceptions);
      });

      test("mirrorfeed verify finds nothing broken", async () => {
        const verification = await verifySite(readDeployment(`${running().engine.url}${basePath}/`), {
          names: { kind: "list" },
          profile: "full",
          userAgent: "mirrorfeed/test",
          interrupt: new AbortController().signal,
          now: Date.now,
        });
        const failed = verification.cases.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);
        expect(verification.stopped).toBeUndefined();
        expect(failed.filter((id) => !Object.hasOwn(options.exceptions ?? {}, id))).toEqual([]);
        expect(verification.cases.filter(({ outcome }) => outcome === "passed").length).toBeGreaterThan(100);
      }, 120_000);
    });
  }

  const many = options.manyTargets ?? 5000;
  describe(`with ${many} targets`, () => {
    const config = largeConfig(many);
    const running = useEngine(host, start, config, halfOnline(config), "");
    test.each([...sample(documentCases(config.systems), 60), ...edgeCases(config.systems)])(
      "$id",
      async (one) => {
        await checkCase(host, one, running(), options.exceptions);
      },
    );
  });

  test("after a rebuild that removed a target", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mirrorfeed-engine-"));
    const config = largeConfig(3);
    const site = build(host, config, halfOnline(config), "", folder);
    let engine = await start(site);
    try {
      expect((await ask(engine.url, "/v1/network/large/all/t2/1")).status).toBe(200);
      const smaller = largeConfig(2);
      const rebuilt = build(host, smaller, halfOnline(smaller), "", folder);
      if (options.restartsOnRebuild === true) {
        await engine.close();
        engine = await start(rebuilt);
      }
      const documents = documentsOf(host, smaller, halfOnline(smaller), "");
      for (const path of [
        "/v1/network/large/all/t2",
        "/v1/network/large/all/t2/",
        "/v1/network/large/all/t2/1",
      ]) {
        const gone: ContractCase = {
          id: path,
          title: path,
          method: "GET",
          path,
          expect: { kind: "error", status: 403, name: "target" },
        };
        await checkCase(host, gone, { engine, documents, basePath: "" });
      }
      expect((await ask(engine.url, "/v1/network/large/all/t1/1")).status).toBe(200);
    } finally {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

interface Running {
  readonly engine: Engine;
  readonly documents: ReadonlyMap<string, Buffer>;
  readonly basePath: string;
}

function useEngine(
  host: Host,
  start: StartEngine,
  config: Config,
  statuses: ReadonlyMap<number, Status>,
  basePath: string,
): () => Running {
  let folder = "";
  let running: Running | undefined;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "mirrorfeed-engine-"));
    const documents = documentsOf(host, config, statuses, basePath);
    running = { engine: await start(build(host, config, statuses, basePath, folder)), documents, basePath };
  }, 120_000);
  afterAll(async () => {
    await running?.engine.close();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);
  return () => {
    if (running === undefined) throw new Error("The engine is not running.");
    return running;
  };
}

function filesOf(
  host: Host,
  config: Config,
  statuses: ReadonlyMap<number, Status>,
  basePath: string,
): SiteFile[] {
  const url = `https://status.example.org${basePath}`;
  return renderContract({ ...config, site: { ...config.site, host: host.name, url } }, statuses);
}

function documentsOf(
  host: Host,
  config: Config,
  statuses: ReadonlyMap<number, Status>,
  basePath: string,
): Map<string, Buffer> {
  return new Map(
    filesOf(host, config, statuses, basePath).map(({ path, content }) => [path, Buffer.from(content)]),
  );
}

function build(
  host: Host,
  config: Config,
  statuses: ReadonlyMap<number, Status>,
  basePath: string,
  folder: string,
): EngineSite {
  const root = join(folder, "site");
  writeSite(root, filesOf(host, config, statuses, basePath));
  const feed: FeedNames = config.systems;
  return { root, scratch: folder, feed, basePath };
}

/** Asks one case below the base path and holds the answer against what the host is capable of by its record. */
async function checkCase(
  host: Host,
  one: ContractCase,
  { engine, documents, basePath }: Running,
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

/** The case as the host's record has it; undefined where the record leaves the body to the host, after its checks. */
function asCapable({ capabilities }: Host, one: ContractCase, answer: Answer): ContractCase | undefined {
  const { expect: contract } = one;
  if (contract.kind !== "error") return one;
  const notFound: ContractCase = {
    ...one,
    expect: { kind: "error", status: errorDocuments["not-found"].code, name: "not-found" },
  };
  if (contract.status === 403 && capabilities.forbidden === "not-found") return notFound;
  if (contract.status === 400 && capabilities.badRequest === "not-found") return notFound;
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
