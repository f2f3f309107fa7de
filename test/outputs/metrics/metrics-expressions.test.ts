import { textOf } from "../../support/text-of.ts";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderMetrics } from "../../../src/outputs/metrics/metrics.ts";
import { loadDocument } from "../../support/document.ts";
import { configOf, noon, play } from "../../support/playing.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const promtool = findProgram("promtool");

describeWith("promtool", promtool !== undefined, "the expressions of documents.md", () => {
  test("are valid, find what they are for, and name gauges that exist", () => {
    const words = loadDocument(".github/docs/documents.md").text.replaceAll(/\s+/g, " ");
    const expressions = [...words.matchAll(/`([^`]* > mirrorfeed_\w+|[^`]*mirrorfeed_\w+ [^`]*)`/g)].map(
      ([, one = ""]) => one,
    );
    expect(expressions).toHaveLength(3);
    const folder = temporaryFolder();
    const file = (name: string, content: object): string => {
      writeFileSync(join(folder, name), JSON.stringify(content));
      return join(folder, name);
    };
    const rules = expressions.map((expr, index) => ({ record: `found_${index}`, expr: `count(${expr})` }));
    file("rules.yml", { groups: [{ name: "documents", rules }] });
    const series = [
      ...[1, 2, 3].map((id) => [`mirrorfeed_node_up{id="${id}"}`, id === 1 ? "1" : "0"]),
      ...[1, 2, 3].map((id) => [`mirrorfeed_node_info{id="${id}",target="t",url="u"}`, "1"]),
      ['mirrorfeed_node_maintenance{id="3"}', "1"],
      ["mirrorfeed_feed_expires_timestamp_seconds", "59"],
    ].map(([name, value]) => ({ series: name, values: `${value}x5` }));
    const found = (counts: readonly number[]): object[] =>
      counts.map((value, index) => ({
        expr: `found_${index}`,
        eval_time: "2m",
        exp_samples: [{ labels: `found_${index}`, value }],
      }));
    const tests = [{ interval: "1m", input_series: series, promql_expr_test: found([1, 1, 2]) }];
    const checked = file("test.yml", { rule_files: ["rules.yml"], evaluation_interval: "1m", tests });
    const { status, stdout, stderr } = spawnSync(promtool ?? "", ["test", "rules", checked], {
      encoding: "utf8",
    });
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining("SUCCESS")]);
    const source = textOf(renderMetrics(play(configOf(), [{ at: noon }]).feed)[0]);
    for (const [gauge] of series.flatMap(({ series: name = "" }) => [...name.matchAll(/^\w+/g)]))
      if (gauge !== "mirrorfeed_node_maintenance") expect(source).toContain(`\n${gauge}`);
  });
});
