import { loadConfig } from "../config/load.ts";
import { InputError } from "../errors.ts";
import { userAgent } from "../files/package.ts";
import { parseDeploymentUrl } from "../verify/deployment-url.ts";
import { type NamesFrom, verifySite } from "../verify/verify.ts";
import type { ExitCode, CommandContext } from "../terminal/context.ts";
import { verificationJson, verificationText } from "../verify/summary.ts";

export interface VerifyOptions {
  /** The URL of the deployment, with or without the slash at the end. */
  readonly url: string;
  readonly config?: string | undefined;
  readonly system?: readonly string[] | undefined;
  /** One of `profiles`. */
  readonly profile: string;
  readonly json?: boolean | undefined;
}

/** Verifies a deployment. Returns 0 if it follows the whole contract, 1 if not, 4 if that is unknown. */
export async function verify(options: VerifyOptions, context: CommandContext): Promise<ExitCode> {
  const { url, profile, json } = options;
  const site = parseDeploymentUrl(url);
  const names = await namesFrom(options);
  const progress = context.progress("Verifying, request");
  const verification = await verifySite(site, {
    names,
    profile,
    userAgent: userAgent({ command: "verify" }),
    interrupt: context.interrupt,
    now: context.now,
    onRequest: progress.step,
  }).finally(progress.stop);
  const { cases, stopped, own } = verification;
  if (json === true) context.output(verificationJson(site.href, verification));
  else if (cases.length > 0) context.output(verificationText(verification, context.color));
  if (own === false) context.log(foreign);
  if (stopped === undefined) return cases.some(({ outcome }) => outcome === "failed") ? 1 : 0;
  context.log(`Not verified: ${stopped}`);
  if (namesProxy(context)) context.log("A proxy is named in the environment; verify asks without it.");
  return 4;
}

const foreign =
  "It has none of the documents that only mirrorfeed writes: what the specification does not say is a warning.";

async function namesFrom({ config, system }: VerifyOptions): Promise<NamesFrom> {
  if (config !== undefined && system !== undefined)
    throw new InputError("--config and --system both give the names; leave one out.");
  if (config !== undefined) return { kind: "configuration", feed: (await loadConfig(config)).systems };
  return system === undefined ? { kind: "list" } : { kind: "systems", systems: [...new Set(system)] };
}

function namesProxy({ environment }: CommandContext): boolean {
  const names = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
  return names.some((name) => (environment[name] ?? "") !== "");
}
