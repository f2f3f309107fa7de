import fc from "fast-check";
import { expect, test } from "vitest";
import { listNodes, nodeName } from "../../../src/core/config/nodes.ts";
import { errorDocuments } from "../../../src/core/contract/contract.ts";
import { renderErrors, renderNetwork, type Status } from "../../../src/core/contract/network.ts";
import { configArbitrary } from "../../support/arbitrary.ts";
import { feedDocuments } from "../../support/contract/feed.ts";
import { feedWith } from "../../support/feed-with.ts";
import { textsOf } from "../../support/playing.ts";

test("any feed is the list, each system, project and target, and a target's offline and online nodes", () => {
  fc.assert(
    fc.property(configArbitrary, fc.infiniteStream(fc.constantFrom<Status>(0, 1)), (config, drawn) => {
      const statuses = new Map(listNodes(config).map(({ id }) => [id, drawn.next().value]));
      const expected = new Map<string, object>();
      const add = (names: readonly string[], document: object): object => {
        expected.set(["v1/network", ...names, "index.json"].join("/"), document);
        return document;
      };
      add([], { systems: config.systems.map(({ system }) => system) });
      for (const { system, projects } of config.systems) {
        const inSystem = projects.map(({ project, targets }) => {
          const inProject = targets.map(({ target, network: configured }) => {
            const network = configured.map(({ id, name, url }) => {
              return { id, name: name ?? nodeName(url), url, status: statuses.get(id) };
            });
            const names = [system, project, target];
            for (const status of [0, 1])
              add([...names, `${status}`], {
                target,
                network: network.filter((node) => node.status === status),
              });
            return add(names, { target, network });
          });
          return add([system, project], { project, targets: inProject });
        });
        add([system], { system, projects: inSystem });
      }
      const texts = [...expected].map(([path, document]) => [path, `${JSON.stringify(document)}\n`] as const);
      const files = textsOf(renderNetwork(feedWith(config, statuses)));
      expect([...files].toSorted()).toEqual(texts.toSorted());
    }),
  );
});

test("the small feed is written byte for byte as the contract shows it", () => {
  const text = (path: string): string | undefined => feedDocuments.get(`v1/network/${path}`)?.toString();
  expect(text("index.json")).toBe('{"systems":["alpha","beta-2"]}\n');
  const node =
    '{"id":101,"name":"The first mirror of “t1” <alpha>","url":"https://mirror-0.example.org/beta-2/alpha/t1/0","status":0}';
  expect(text("beta-2/alpha/t1/index.json")).toBe(`{"target":"t1","network":[${node}]}\n`);
  expect(text("beta-2/alpha/t1/0/index.json")).toBe(`{"target":"t1","network":[${node}]}\n`);
  expect(text("beta-2/alpha/t1/1/index.json")).toBe('{"target":"t1","network":[]}\n');
});

test("each error has a document", () => {
  expect([...textsOf(renderErrors())]).toEqual([
    ["errors/system.json", '{"error":"System not found","code":403}\n'],
    ["errors/project.json", '{"error":"Project not found","code":403}\n'],
    ["errors/target.json", '{"error":"Target not found","code":403}\n'],
    ["errors/status.json", '{"error":"Invalid status provided","code":400}\n'],
    ["errors/method.json", '{"error":"Method not allowed","code":405}\n'],
    ["errors/not-found.json", '{"error":"Not found","code":404}\n'],
  ]);
  expect(Object.keys(errorDocuments)).toHaveLength(6);
});
