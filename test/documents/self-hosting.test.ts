import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { declareProgram } from "../../src/program/program.ts";
import { recorded } from "../support/command-context.ts";
import { blocksOf, loadDocument } from "../support/document.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const repository = join(import.meta.dirname, "../..");
const guide = loadDocument(".github/docs/self-hosting.md");

test("the commands of the guide install a program that its systemd units start", async () => {
  const prefix = temporaryFolder("mirrorfeed-installed-");
  const checkout = join(prefix, "checkout");
  for (const folder of ["bin", "checkout", "etc", "opt"]) mkdirSync(join(prefix, folder));
  // The tests have built the program already, and make no user.
  const pack = `npm pack --ignore-scripts --silent --pack-destination "${checkout}" "${repository}"`;
  script("npm", `[ "$1" = ci ] || PATH="${env["PATH"] ?? ""}" exec ${pack}`);
  script("useradd", "exit 0");
  writeFileSync(join(checkout, "mirrors.json"), JSON.stringify(config));
  for (const commands of blocks("sh")) {
    execFileSync("/bin/sh", ["-ec", below(commands)], {
      cwd: checkout,
      env: { ...env, PATH: `${join(prefix, "bin")}:${env["PATH"] ?? ""}` },
      stdio: "pipe",
    });
  }

  const [unit = ""] = blocks("ini");
  const [node, ...parameters] = context(unit, "ExecStart").split(" ").map(below);
  expect(node).toBe("/usr/bin/node");
  const service = spawn(execPath, parameters, {
    cwd: below(context(unit, "WorkingDirectory")),
    stdio: "pipe",
  });
  const ended = once(service, "close");
  let output = "";
  for (const stream of [service.stdout, service.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const document = join(prefix, "var/lib/mirrorfeed/site/v1/network/s/p/t/index.json");
  const deadline = Date.now() + 20_000;
  while (!existsSync(document) && service.exitCode === null && Date.now() < deadline) await delay(50);
  service.kill("SIGTERM");
  await ended;
  expect(existsSync(document), output).toBe(true);

  const sending = blocks("ini").find((one) => one.includes("cli.js notify")) ?? "";
  expect(existsSync(below(context(sending, "EnvironmentFile")))).toBe(true);
  const [, ...sendingParameters] = context(sending, "ExecStart").split(" ").map(below);
  const sent = execFileSync(execPath, sendingParameters, {
    cwd: below(context(sending, "WorkingDirectory")),
    encoding: "utf8",
  });
  expect(sent).toBe("No message is due.\n");

  function script(name: string, body: string): void {
    writeFileSync(join(prefix, "bin", name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  }
  function below(text: string): string {
    return text.replaceAll(/(?<![\w.])\/(?=(?:etc|opt|var)\/)/g, `${prefix}/`);
  }
});

test("its Kubernetes and systemd examples are well-formed, and call the program as it is", () => {
  const { commands } = declareProgram(recorded().context, () => undefined);
  const jobs = blocks("yaml").filter((one) => one.includes("CronJob"));
  expect(jobs).toHaveLength(2);
  for (const job of jobs) {
    const { kind, spec } = parse(job) as {
      kind: string;
      spec: { jobTemplate: { spec: { template: { spec: { containers: { args: string[] }[] } } } } };
    };
    expect(kind).toBe("CronJob");
    const [called = "", ...rest] = spec.jobTemplate.spec.template.spec.containers[0]?.args ?? [];
    const command = commands.find((one) => one.name() === called);
    expect(command?.options.map(({ long }) => long)).toEqual(
      expect.arrayContaining(rest.filter((one) => one.startsWith("--"))),
    );
  }
  const units = blocks("ini");
  expect(units).toHaveLength(3);
  const lines = units.flatMap((unit) => unit.split("\n")).filter((line) => !/^(?:#|$)/.test(line));
  for (const line of lines)
    expect(line).toMatch(/^(?:\[(?:Unit|Service|Timer|Install)\]|[A-Z][A-Za-z]+=.+)$/);
  expect(units.join("\n")).toMatch(
    /^ExecStart=\/\S+node \S+cli\.js watch --interval 60s --out \S+ --state \S+$/m,
  );
});

/** One mirror at a port that nothing listens on: the run is void, and writes its first site. */
const config = {
  probe: { allowPrivate: true },
  systems: [
    {
      system: "s",
      projects: [
        {
          project: "p",
          targets: [{ target: "t", network: [{ id: 1, url: "http://127.0.0.1:9/s/t" }] }],
        },
      ],
    },
  ],
};

function blocks(language: string): string[] {
  return blocksOf(guide, language).map(({ text }) => text);
}

function context(unit: string, name: string): string {
  return new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? "";
}
