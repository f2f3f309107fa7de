import { type Config, configSchema } from "./schema.ts";

/** Returns the configuration of one mirror, with the default of each setting that `probe` leaves out. */
export function configOfMirror(url: string, probe: Partial<Config["probe"]> = {}): Config {
  const target = { target: "mirror", network: [{ id: 1, url }] };
  const project = { project: "mirror", targets: [target] };
  return configSchema.parse({ systems: [{ system: "mirror", projects: [project] }], probe });
}
