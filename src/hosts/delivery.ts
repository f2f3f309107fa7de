/** How a site gets to its host: the workflow that `init` writes, and the steps of the operator. */
export interface Delivery {
  /** In a few words, for the choice of a host. */
  readonly summary: string;
  /** How the workflow publishes the site. A host without it needs no workflow. */
  readonly workflow?: "pages" | "branch";
  /** Returns what the operator does to publish, one line for each step, with the exact commands. */
  readonly steps: (input: DeliveryInput) => readonly string[];
}

export interface DeliveryInput {
  readonly host: { readonly name: string; readonly title: string };
  /** The command that runs mirrorfeed. */
  readonly command: string;
  /** The command that commits the feed. */
  readonly commit: string;
  /** How often the feed is refreshed, as `mirrorfeed watch` reads it. */
  readonly every: string;
}

/** The branch that a host publishes. */
export const siteBranch = "mirrorfeed-site";

/** The workflow pushes the site to a branch, and the host publishes that. */
export const branchDelivery: Delivery = {
  summary: "publishes a branch that the workflow writes",
  workflow: "branch",
  steps: ({ host, commit }) => [
    commit,
    `On GitHub: Actions → Refresh the feed → Run workflow. It creates the branch ${siteBranch}.`,
    `At ${host.title}: deploy the top folder of that branch, without a build command.`,
  ],
};

/** The host runs mirrorfeed itself, or the operator uploads the site. */
export const serverDelivery: Delivery = {
  summary: "a server or bucket of your own",
  steps: ({ host, command, every }) => [
    `${command} host ${host.name} --root /srv/site --out server    # writes the configuration of the server`,
    `${command} watch --interval ${every} --out /srv/site    # on the server, without end`,
  ],
};
