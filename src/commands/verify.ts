import { loadConfig } from "../config/load.ts";
import { InputError } from "../errors.ts";
import { product } from "../product.ts";
import type { Profile } from "../site/verify/answer.ts";
import { readDeployment } from "../site/verify/client.ts";
import { type NamesFrom, verifySite } from "../site/verify/verify.ts";
import type { ExitCode, Setting } from "./setting.ts";
import { verificationJson, verificationText } from "./verification.ts";

export interface VerifyOptions {
  /** The deployment: its url, with or without the slash at the end. */
  readonly url: string;
  readonly config?: string | undefined;
  readonly system?: readonly string[] | undefined;
  readonly profile: Profile;
  readonly json?: boolean | undefined;
}

/** Runs the contract against a deployment: 0 where all of it held, 1 where not, 4 where that could not be found out. */
export async function verify(options: VerifyOptions, setting: Setting): Promise<ExitCode> {
  const { url, profile, json } = options;
  const site = readDeployment(url);
  const verification = await verifySite(site, {
    names: await namesFrom(options),
    profile,
    userAgent: `mirrorfeed/${product.version} (verify; +${product.homepage})`,
    interrupt: setting.interrupt,
    now: setting.now,
  });
  const { cases, stopped, own } = verification;
  if (json === true) setting.print(verificationJson(site.href, verification));
  else if (cases.length > 0) setting.print(verificationText(verification, setting.color));
  if (own === false) setting.tell(foreign);
  if (stopped === undefined) return cases.some(({ outcome }) => outcome === "failed") ? 1 : 0;
  setting.tell(`Not verified: ${stopped}`);
  if (namesProxy(setting)) setting.tell("A proxy is named in the environment; verify asks without it.");
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

function namesProxy({ environment }: Setting): boolean {
  const names = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
  return names.some((name) => (environment[name] ?? "") !== "");
}
