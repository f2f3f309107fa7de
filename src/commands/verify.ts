import { loadConfig } from "../config/load.ts";
import { userAgent } from "../base/files/package.ts";
import { parseDeploymentUrl } from "../verify/deployment-url.ts";
import { verificationJson, verificationText, verifySite } from "../verify/verify.ts";
import type { ExitCode, CommandContext } from "../base/terminal/context.ts";

export interface VerifyOptions {
  /** The URL of the deployment, with or without the slash at the end. */
  readonly url: string;
  readonly config?: string | undefined;
  /** One of `profiles`. */
  readonly profile: string;
  readonly json?: boolean | undefined;
}

/** Verifies a deployment. Returns 0 if it keeps the contract, 1 if not, 4 if that is unknown. */
export async function verify(options: VerifyOptions, context: CommandContext): Promise<ExitCode> {
  const { url, config, profile, json } = options;
  const site = parseDeploymentUrl(url);
  const configured = config === undefined ? undefined : (await loadConfig(config)).systems;
  const progress = context.progress("Verifying, request");
  const verification = await verifySite(site, {
    configured,
    profile,
    userAgent: userAgent({ command: "verify" }),
    interrupt: context.interrupt,
    now: context.now,
    onRequest: progress.step,
  }).finally(progress.stop);
  const { cases, stopped } = verification;
  if (json === true) context.output(verificationJson(site.href, verification));
  else if (cases.length > 0) context.output(verificationText(verification, context.color));
  if (stopped === undefined) return cases.every(({ ok }) => ok) ? 0 : 1;
  context.log(`Not verified: ${stopped}`);
  if (namesProxy(context)) context.log("A proxy is named in the environment; verify asks without it.");
  return 4;
}

function namesProxy({ environment }: CommandContext): boolean {
  const names = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
  return names.some((name) => (environment[name] ?? "") !== "");
}
