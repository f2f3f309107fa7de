/** How a site gets to its host: the workflow that `init` writes, and the steps of the operator. */
export interface Delivery {
  /** In a few words, for the choice of a host. */
  readonly summary: string;
  /** The parts of the refresh workflow that depend on the host. A host without them needs no workflow. */
  readonly workflow?: WorkflowParts;
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

/** The parts of the refresh workflow that depend on the host: words in comments, and indented YAML. A missing part is empty. */
export interface WorkflowParts {
  /** Such as "deploys the site to GitHub Pages"; then its verb and its participle. */
  readonly action: string;
  readonly verb: string;
  readonly participle: string;
  readonly pushedBranches: string;
  readonly permissions?: string;
  readonly outputs?: string;
  /** The step that finds the URL of the site, and how the run and the job after it get it. */
  readonly urlStep?: string;
  readonly urlVariable?: string;
  readonly laterUrlVariable?: string;
  readonly urlOption?: string;
  /** The shell case of exit code 0. */
  readonly onSuccess: string;
  readonly lastStep: string;
  readonly lastJob?: string;
}

/** The branch that a host publishes. */
export const siteBranch = "mirrorfeed-site";

/** The workflow pushes the site to a branch, and the host publishes that. */
export const branchDelivery: Delivery = {
  summary: "publishes a branch that the workflow writes",
  workflow: {
    action: `pushes the site to\n# the branch ${siteBranch}, as one commit`,
    verb: "publishes",
    participle: "published",
    pushedBranches: "the branches of the state and the site",
    onSuccess: `            0) echo "observed=true" >> "$GITHUB_OUTPUT" ;;`,
    lastStep: `      - name: Publish
        if: steps.run.outputs.observed != ''
        env:
          GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
        run: npx --yes "$MIRRORFEED" publish --branch ${siteBranch}
`,
  },
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
