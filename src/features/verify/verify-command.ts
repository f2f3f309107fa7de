import { type Command, Option } from "@commander-js/extra-typings";
import { userAgent } from "../../core/base/files/package.ts";
import { parseDeploymentUrl } from "../../core/base/text/url.ts";
import type { ExitCode, CommandContext } from "../../core/base/terminal/context.ts";
import { profiles } from "../hosts/host-registry.ts";
import { type Execute, type Notes, type OptionsOf, sharedOptions } from "../../core/command/command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed verify https://status.example.org/ --json",
    "mirrorfeed verify https://owner.github.io/repository/ --profile pages",
  ],
  exitCodes: { 1: "the deployment breaks a rule", 4: "unknown: the deployment did not answer" },
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((url, options) => execute((context) => verify(url, options, context)));
}

function addOptions(command: Command) {
  return command
    .argument("<url>", "the URL of the site, with its path")
    .addOption(
      new Option("--profile <name>", "what the host supports").choices([...profiles.keys()]).default("full"),
    )
    .option(...sharedOptions.json);
}

export type VerifyOptions = OptionsOf<typeof addOptions>;

/** Returns 0 if a deployment keeps the contract, 1 if it does not, and 4 if the checks could not be completed. */
export async function verify(
  url: string,
  { profile, json }: VerifyOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { openTransport } = await import("../../core/base/http/open-transport.ts");
  const { verificationText, verifySite } = await import("./verify.ts");
  const site = parseDeploymentUrl(url);
  const means = { isAllowed: () => true, userAgent: userAgent({ command: "verify" }), maxBytes: 0 };
  // Ignores the environment's proxies, which may rewrite paths.
  const transport = await openTransport(means, [], {});
  const progress = context.progress("Verifying, request");
  const options = { ...context, profile, transport, onRequest: progress.step };
  const verification = await verifySite(site, options).finally(() => {
    progress.stop();
    transport.close();
  });
  const { cases, checked, stopped } = verification;
  if (json === true) context.output(JSON.stringify({ url: site.href, checked, cases }, null, 2));
  else if (cases.length > 0) context.output(verificationText(verification));
  if (stopped === undefined) return cases.every(({ ok }) => ok) ? 0 : 1;
  context.log(`Not verified: ${stopped}`);
  return 4;
}
