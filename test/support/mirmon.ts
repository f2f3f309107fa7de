import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "./child.ts";
import { findProgram } from "./requirement.ts";

export const hasMirmon = ["mirmon", "curl", "perl"].every((name) => findProgram(name) !== undefined);

/** Shortens the sleeps of mirmon, which waits for its probes in steps of 10 s. */
const shortNaps = `BEGIN { *CORE::GLOBAL::sleep = sub { select undef, undef, undef, 0.05 } }
my $file = shift; do $file; die $@ if $@;`;

/** Runs mirmon. For each mirror, returns the time that mirmon read from `file`, in epoch seconds, or undefined. */
export async function mirmonTimes(
  folder: string,
  urls: readonly string[],
  file: string,
): Promise<(number | undefined)[]> {
  const home = join(folder, "mirmon");
  mkdirSync(home);
  const path = (name: string): string => join(home, name);
  const settings = {
    project_name: "mirrors",
    project_url: "https://example.org/",
    mirror_list: path("list"),
    list_style: "plain",
    state: path("state"),
    web_page: path("index.html"),
    countries: "/usr/share/mirmon/countries.list",
    icons: "/icons",
    probe: `${findProgram("curl") ?? "curl"} --silent --max-time %TIMEOUT% %URL%${file}`,
  };
  writeFileSync(path("list"), urls.map((url) => `de ${url}\n`).join(""));
  writeFileSync(path("state"), "");
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
  writeFileSync(path("mirmon.conf"), lines.join(""));
  const parameters = ["-e", shortNaps, findProgram("mirmon") ?? "mirmon", "-q", "-c", path("mirmon.conf")];
  await startChild("perl", [...parameters, "-get", "all"], { folder: home }).ending;
  const known = new Map(
    readFileSync(path("state"), "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .map(([url = "", at = ""]) => [url, /^\d+$/.test(at) ? Number(at) : undefined]),
  );
  return urls.map((url) => known.get(url));
}
