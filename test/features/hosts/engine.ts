import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { errorDocuments } from "../../../src/core/contract/contract.ts";
import type { Host, HostInput } from "../../../src/features/hosts/host.ts";
import { type ContractCase, documentCases, edgeCases } from "../../support/contract/cases.ts";
import { type Answer, ask, expectAnswer, expectPage } from "../../support/contract/answers.ts";
import { contractCases } from "../../support/contract/feed.ts";
import { pageCases } from "../../support/contract/pages.ts";
import { halfOnline, largeConfig } from "../../support/large-feed.ts";
import { closeAfterFile, closeAfterTest } from "../../support/close-after-test.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { type Site, type Sites, useSites, writeHostSite } from "./sites.ts";

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
  /** The sites to serve. Needed only if several engines share them. */
  readonly sites?: Sites;
  /** The number of targets in the large feed. Defaults to 5,000. Some engines can't serve that many. */
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

/** Tests a host's real engine with a small feed, the same feed below a base path, a large feed, and a rebuild. */
export function describeEngine(host: Host, start: StartEngine, options: EngineOptions = {}): void {
  const sites = options.sites ?? useSites(host);
  const engines = useEngines(start);
  for (const basePath of ["", "/status/feed"]) {
    describe(basePath === "" ? "at the root" : `below ${basePath}`, () => {
      const running = engines.serve(() => sites.small(basePath));
      test.each(contractCases)("$id", async (one) => {
        await checkCase(host, one, running(), options.exceptions);
      });

      const cases = pageCases.filter(
        ({ expect }) => options.redirectsPages !== false || expect.kind !== "redirect",
      );
      test.each(cases)("$method $path", async (one) => {
        const { url } = running().engine;
        const path = `${basePath}${one.path}`;
        expectPage(one, await ask(url, path, { method: one.method }), url, path);
      });

      test.skipIf(basePath === "" || (options.ownsBasePath ?? options.redirectsPages) === false)(
        "the page at the base path",
        async () => {
          const { status, headers } = await ask(running().engine.url, `${basePath}?x=1`);
          expect([status, headers.location]).toEqual([301, "./feed/?x=1"]);
        },
      );
    });
  }

  const many = options.manyTargets ?? 5000;
  describe(`with ${many} targets`, () => {
    const { systems } = largeConfig(many);
    const running = engines.serve(() => sites.large(many));
    test.each([...sample(documentCases(systems), 60), ...edgeCases(systems)])("$id", async (one) => {
      await checkCase(host, one, running(), options.exceptions);
    });
  });

  test("after a rebuild that removed a target", async () => {
    const scratch = temporaryFolder("mirrorfeed-engine-");
    const build = (targets: number): Site => {
      const config = largeConfig(targets);
      return writeHostSite(host, config, halfOnline(config), "", join(scratch, "site"));
    };
    let engine = closeAfterTest(await start({ ...build(3), scratch }));
    const last = "/v1/network/large/all/t2";
    expect((await ask(engine.url, `${last}/1`)).status).toBe(200);
    const site = build(2);
    if (options.restartsOnRebuild === true) {
      await engine.close();
      engine = closeAfterTest(await start({ ...site, scratch }));
    }
    for (const path of [last, `${last}/`, `${last}/1`]) {
      const expect = { kind: "error", status: 403, name: "target" } as const;
      await checkCase(host, { id: path, method: "GET", path, expect }, { engine, site });
    }
    expect((await ask(engine.url, "/v1/network/large/all/t1/1")).status).toBe(200);
  });
}

interface Running {
  readonly engine: Engine;
  readonly site: Site;
}

/** Starts an engine for each site that the suite serves, and stops it after all tests in the file. */
function useEngines(start: StartEngine): { readonly serve: (site: () => Site) => () => Running } {
  const engines = new Map<Site, Engine>();
  return {
    serve: (make) => {
      let running: Running | undefined;
      beforeAll(async () => {
        const site = make();
        const engine =
          engines.get(site) ??
          closeAfterFile(await start({ ...site, scratch: temporaryFolder("mirrorfeed-engine-") }));
        engines.set(site, engine);
        running = { engine, site };
      });
      return () => {
        if (running === undefined) throw new Error("The engine is not running.");
        return running;
      };
    },
  };
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
