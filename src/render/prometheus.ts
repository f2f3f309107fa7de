/** A metric that can go up and down. Its name ends with its unit, and `help` is one line. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly samples: Iterable<Sample>;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Returns gauges in the text format of Prometheus, version 0.0.4, without timestamps and without gauges that have no sample.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function metricsText(gauges: readonly Gauge[]): string {
  const texts = gauges.map(({ name, help, samples }) => {
    const lines = Array.from(samples, ({ labels, value }) => `${name}${labelText(labels)} ${value}\n`);
    return lines.length === 0 ? "" : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
  });
  return texts.join("");
}

function labelText(labels: Sample["labels"]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}
