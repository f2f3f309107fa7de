import { contentOf } from "../../src/base/files/site-file.ts";
import { resolveFeed } from "../../src/feed/resolve.ts";
import { feedWith } from "../support/feed-with.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textsOf } from "../support/playing.ts";
import * as z from "zod";
import { listNodes, nodeName } from "../../src/config/nodes.ts";
import { errorDocuments } from "../../src/contract/contract.ts";
import { renderErrors, renderNetwork } from "../../src/contract/network.ts";
import type { Status } from "../../src/contract/network.ts";
import { configArbitrary } from "../support/arbitrary.ts";
import { feedConfig, feedDocuments } from "../support/contract/feed.ts";

const listSchema = z.strictObject({ systems: z.array(z.string()) });
const nodeSchema = z.strictObject({
  id: z.int(),
  name: z.string(),
  url: z.string(),
  status: z.literal([0, 1]),
});
const targetSchema = z.strictObject({ target: z.string(), network: z.array(nodeSchema) });
const projectSchema = z.strictObject({ project: z.string(), targets: z.array(targetSchema) });
const systemSchema = z.strictObject({ system: z.string(), projects: z.array(projectSchema) });

type Documents = ReadonlyMap<string, string>;

/** A configuration with a status for each node, the rendered documents, and every target with its path. */
const rendered = configArbitrary.chain((config) => {
  const ids = listNodes(config).map(({ id }) => id);
  const drawn = fc.array(fc.constantFrom<Status>(0, 1), { minLength: ids.length, maxLength: ids.length });
  return drawn.map((values) => {
    const statuses = new Map(ids.map((id, place) => [id, values[place] ?? 0]));
    const files = renderNetwork(feedWith(config, statuses));
    const documents: Documents = new Map(files.map((file) => [file.path, contentOf(file)]));
    const targets = config.systems.flatMap(({ system, projects }) =>
      projects.flatMap(({ project, targets }) =>
        targets.map(({ target, network }) => ({ path: [system, project, target], target, network })),
      ),
    );
    return { config, statuses, files, documents, targets };
  });
});

describe("for any configuration and any statuses", () => {
  test("there is a document for the list, each system, project and target, both statuses, and nothing else", () => {
    fc.assert(
      fc.property(rendered, ({ config, files, targets }) => {
        const names = [
          [],
          ...config.systems.map(({ system }) => [system]),
          ...config.systems.flatMap(({ system, projects }) =>
            projects.map(({ project }) => [system, project]),
          ),
          ...targets.flatMap(({ path }) => [path, [...path, "0"], [...path, "1"]]),
        ];
        expect(files.map(({ path }) => path).toSorted()).toEqual(names.map(pathOf).toSorted());
      }),
    );
  });

  test("a target is all of its nodes, in the order of the file", () => {
    fc.assert(
      fc.property(rendered, ({ statuses, documents, targets }) => {
        for (const { path, target, network } of targets) {
          const nodes = network.map(({ id, name, url }) => {
            return { id, name: name ?? nodeName(url), url, status: statuses.get(id) };
          });
          expect(read(documents, targetSchema, path)).toEqual({ target, network: nodes });
        }
      }),
    );
  });

  test("its statuses 0 and 1 are its offline and its online nodes, in the same order", () => {
    fc.assert(
      fc.property(rendered, ({ documents, targets }) => {
        for (const { path, target } of targets) {
          const { network } = read(documents, targetSchema, path);
          for (const status of [0, 1]) {
            expect(read(documents, targetSchema, [...path, `${status}`])).toEqual({
              target,
              network: network.filter((node) => node.status === status),
            });
          }
        }
      }),
    );
  });

  test("a project is its targets, a system is its projects, and the list is the names of the systems", () => {
    fc.assert(
      fc.property(rendered, ({ config, documents }) => {
        expect(read(documents, listSchema, [])).toEqual({
          systems: config.systems.map(({ system }) => system),
        });
        for (const { system, projects } of config.systems) {
          expect(read(documents, systemSchema, [system])).toEqual({
            system,
            projects: projects.map(({ project }) => read(documents, projectSchema, [system, project])),
          });
          for (const { project, targets } of projects) {
            expect(read(documents, projectSchema, [system, project])).toEqual({
              project,
              targets: targets.map(({ target }) => read(documents, targetSchema, [system, project, target])),
            });
          }
        }
      }),
    );
  });

  test("the same input gives the same bytes", () => {
    fc.assert(
      fc.property(rendered, ({ config, statuses, files }) => {
        expect(textsOf(renderNetwork(feedWith(config, statuses)))).toEqual(textsOf(files));
      }),
    );
  });
});

describe("the small feed", () => {
  test("is written byte for byte as the contract shows it", () => {
    const text = (path: string): string | undefined => feedDocuments.get(path)?.toString();
    expect(text("v1/network/index.json")).toBe('{"systems":["alpha","beta-2"]}\n');
    const node =
      '{"id":101,"name":"The first mirror of “t1” <alpha>","url":"https://mirror-0.example.org/beta-2/alpha/t1/0","status":0}';
    expect(text("v1/network/beta-2/alpha/t1/index.json")).toBe(`{"target":"t1","network":[${node}]}\n`);
    expect(text("v1/network/beta-2/alpha/t1/0/index.json")).toBe(`{"target":"t1","network":[${node}]}\n`);
    expect(text("v1/network/beta-2/alpha/t1/1/index.json")).toBe('{"target":"t1","network":[]}\n');
  });

  test("has the documents of the errors beside it", () => {
    const errors = renderErrors();
    expect(errors).toEqual([
      { path: "errors/system.json", content: '{"error":"System not found","code":403}\n' },
      { path: "errors/project.json", content: '{"error":"Project not found","code":403}\n' },
      { path: "errors/target.json", content: '{"error":"Target not found","code":403}\n' },
      { path: "errors/status.json", content: '{"error":"Invalid status provided","code":400}\n' },
      { path: "errors/method.json", content: '{"error":"Method not allowed","code":405}\n' },
      { path: "errors/not-found.json", content: '{"error":"Not found","code":404}\n' },
    ]);
    expect(Object.keys(errorDocuments)).toHaveLength(errors.length);
  });

  test("is not rendered if a node has no status", () => {
    expect(() =>
      renderNetwork(
        resolveFeed(feedConfig, [], { run: "r", at: 0, vantages: [] }, { state: undefined, online: [] }),
      ),
    ).toThrow("Node 1 is missing from the nodes of the feed.");
  });
});

/** Returns a document of the site. Fails if it is missing or is not the compact JSON of its fields in their order. */
function read<Value>(documents: Documents, schema: z.ZodType<Value>, names: readonly string[]): Value {
  const text = documents.get(pathOf(names)) ?? "";
  const value = schema.parse(JSON.parse(text));
  expect(text).toBe(`${JSON.stringify(value)}\n`);
  return value;
}

function pathOf(names: readonly string[]): string {
  return ["v1/network", ...names, "index.json"].join("/");
}
