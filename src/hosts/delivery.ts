/** How a site gets to its host: what `init` writes for it, and what its operator does. */
export interface Delivery {
  /** In a few words, for a person who chooses a host. */
  readonly summary: string;
  /** The host's parts of the workflow that refreshes the feed; a host without them needs no workflow. */
  readonly workflow?: WorkflowParts;
  /** What the operator does to publish, a line each, with the exact commands. */
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

/** What differs between the workflows of two hosts: words of its comments, and YAML with its indentation. */
export interface WorkflowParts {
  readonly does: string;
  readonly never: string;
  readonly done: string;
  readonly pushes: string;
  readonly rightsAndOutputs: string;
  readonly address: string;
  readonly siteUrl: string;
  readonly siteUrlOption: string;
  readonly success: string;
  readonly lastStep: string;
  readonly lastJob: string;
}

/** The branch from which a host takes the site. */
export const siteBranch = "mirrorfeed-site";

/** The workflow pushes the site to a branch, from which the host takes it. */
export const branchDelivery: Delivery = {
  summary: "takes a branch that the workflow makes",
  workflow: {
    does: `makes the site the\n# branch ${siteBranch}, one commit`,
    never: "publishes",
    done: "published",
    pushes: "the branches of the state and the site",
    rightsAndOutputs: "",
    address: "",
    siteUrl: "",
    siteUrlOption: "",
    success: `            0) echo "observed=true" >> "$GITHUB_OUTPUT" ;;`,
    lastStep: `      - name: Publish
        if: steps.run.outputs.observed != ''
        env:
          GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
        run: npx --yes "$MIRRORFEED" publish --branch ${siteBranch}
`,
    lastJob: "",
  },
  steps: ({ host, commit }) => [
    commit,
    `On GitHub: Actions → Refresh the feed → Run workflow. It makes the branch ${siteBranch}.`,
    `At ${host.title}: deploy that branch as it is, without a build command, from its top folder.`,
  ],
};

/** The host runs mirrorfeed itself, or the operator uploads the site. */
export const serverDelivery: Delivery = {
  summary: "a server or bucket of your own",
  steps: ({ host, command, every }) => [
    `${command} host ${host.name} --root /srv/site --out server    # writes the configuration of the server`,
    `${command} watch --every ${every} --out /srv/site    # there, for ever`,
  ],
};
