import fc, { type Arbitrary } from "fast-check";
import { nameProblem } from "../../src/core/base/text/name.ts";
import type { Config } from "../../src/core/config/config-schema.ts";
import { validateConfig } from "../../src/core/config/validate.ts";
import { hasInvisible } from "../../src/core/base/text/quote.ts";

const trickyNames = ["0", "1", "v1", "errors", "network", "constructor", "a.json", "t-two", "x__"];

export const nameArbitrary: Arbitrary<string> = fc
  .oneof(fc.constantFrom(...trickyNames), fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,11}$/))
  .filter((name) => nameProblem(name) === undefined);

const label = fc
  .oneof(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), fc.constant('"<b>&amp;\\ \u2665'))
  .filter((text) => text.trim() !== "" && text.length <= 200 && !hasInvisible(text));

const override = fc
  .record(
    {
      kind: fc.constant("http"),
      timeout: fc.integer({ min: 100, max: 300_000 }).map((ms) => `${ms}ms`),
      attempts: fc.integer({ min: 1, max: 10 }),
      http: fc.record(
        {
          expectStatus: fc.oneof(
            fc.integer({ min: 100, max: 599 }),
            fc.array(fc.integer({ min: 100, max: 599 }), { minLength: 1, maxLength: 3 }),
          ),
          content: fc.record({ text: fc.string({ minLength: 1 }), files: fc.constant(["a", "b/c"]) }),
        },
        { requiredKeys: [] },
      ),
      failureThreshold: fc.integer({ min: 1, max: 100 }),
      successThreshold: fc.integer({ min: 1, max: 100 }),
    },
    { requiredKeys: [] },
  )
  // Only a probe of the kind `http` may have options for HTTP.
  .map((own) => (own.http === undefined ? own : { ...own, kind: "http" }));

const origins = [
  ...["https://git.example.org", "http://127.0.0.1:8080", "https://[2001:db8::1]:8443"],
  ...["https://xn--bcher-kva.example", "https://mirror.example.org/a%20b", "https://example.org/~joomla"],
];

/** A node that lacks its id and the last part of its URL. `numbered` adds both, because they must be unique. */
const node = fc.record(
  {
    rank: fc.nat({ max: 1_000_000 }),
    origin: fc.constantFrom(...origins),
    name: label,
    country: fc.constantFrom("DE", "de", "FR"),
    weight: fc.integer({ min: 1, max: 1000 }),
    probe: override,
  },
  { requiredKeys: ["rank", "origin"] },
);

const target = fc.record(
  { target: nameArbitrary, probe: override, network: fc.array(node, { minLength: 1, maxLength: 4 }) },
  { requiredKeys: ["target", "network"] },
);

const project = fc.record(
  {
    project: nameArbitrary,
    probe: override,
    targets: fc.uniqueArray(target, { minLength: 1, maxLength: 4, selector: (entry) => entry.target }),
  },
  { requiredKeys: ["project", "targets"] },
);

const system = fc.record({
  system: nameArbitrary,
  projects: fc.uniqueArray(project, { minLength: 1, maxLength: 3, selector: (entry) => entry.project }),
});

/** Generates small, valid configurations. Each is parsed as if it came from a file. */
export const configArbitrary: Arbitrary<Config> = fc
  .uniqueArray(system, { minLength: 1, maxLength: 3, selector: (entry) => entry.system })
  .map((systems) => validateConfig(JSON.stringify({ systems: numbered(systems) }), "arbitrary.json"));

type Drawn<Source> = Source extends Arbitrary<infer Value> ? Value : never;

/** Gives each node a unique URL and a unique id, in random order. */
function numbered(systems: readonly Drawn<typeof system>[]): object[] {
  let count = 0;
  const numberedNode = ({ rank, origin, ...rest }: Drawn<typeof node>): object => {
    count += 1;
    return { id: rank * 200 + count, url: `${origin}/mirror-${count}`, ...rest };
  };
  return systems.map(({ system, projects }) => ({
    system,
    projects: projects.map(({ targets, ...project }) => ({
      ...project,
      targets: targets.map(({ network, ...target }) => ({ ...target, network: network.map(numberedNode) })),
    })),
  }));
}
