import { type Command, Option } from "@commander-js/extra-typings";
import { hosts, profiles, slashlessProfile } from "../hosts/registry.ts";
import { parseListen, parsePort } from "./option-values.ts";
import type { CommandContext } from "../terminal/context.ts";
import { config, out, json, type Finish } from "./options.ts";

const slashlessProfiles = hosts.flatMap(({ profile, title, slashlessPages }) =>
  profile === undefined || slashlessPages === undefined
    ? []
    : [`${slashlessProfile(profile)} is ${title} with site.slashless`],
);

/** Declares the commands that bring the feed to its readers. */
export function declareServing(program: Command, context: CommandContext, finish: Finish): void {
  program
    .command("serve")
    .description("preview the site with the routing of the contract")
    .option(...out)
    .option("--port <number>", "the port, 0 for any free one", parsePort, 8080)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .addHelpText("after", "\nExample: mirrorfeed serve --port 8080")
    .action(async (options) => {
      const { serve } = await import("../commands/serve.ts");
      finish(await serve(options, context));
    });

  program
    .command("publish")
    .description("make the site the content of a branch of any git remote")
    .option(...out)
    .option(...config)
    .option("--remote <url>", "where to publish; by default, origin of the repository around mirrors.json")
    .option("--branch <name>", "the branch", "gh-pages")
    .option("--history", "add a commit to the branch; else it has one commit only")
    .addOption(
      new Option("--replace", "delete the commits of a branch that is not a published feed").conflicts(
        "history",
      ),
    )
    .option("--message <text>", "the message of the commit")
    .option(...json)
    .addHelpText(
      "after",
      "\nExample: mirrorfeed publish --remote https://github.com/owner/repository --branch gh-pages",
    )
    .action(async (options) => {
      const { publish } = await import("../commands/publish.ts");
      finish(await publish(options, context));
    });

  program
    .command("verify")
    .description("test any deployment against the contract")
    .argument("<url>", "where the site is, with its path")
    .option(
      "--config <file>",
      "the mirrors.json the deployment was made from; else the API itself gives the names",
    )
    .option("--system <name...>", "the systems of an API that has no list of them")
    .addOption(
      new Option("--profile <name>", ["what the host can do", ...slashlessProfiles].join("; "))
        .choices([...profiles.keys()])
        .default("full"),
    )
    .option(...json)
    .addHelpText("after", "\nExample: mirrorfeed verify https://status.example.org/ --config mirrors.json")
    .action(async (url, options) => {
      const { verify } = await import("../commands/verify.ts");
      finish(await verify({ url, ...options }, context));
    });

  program
    .command("host")
    .description("print the configuration of a web server, or list the hosts")
    .argument("[name]", "the host; without it, all are listed")
    .option(...config)
    .option("--listen <address:port>", "where the server listens", parseListen, {
      address: "0.0.0.0",
      port: 80,
    })
    .option("--root <folder>", "the folder of the site, as the server sees it", "_site")
    .option("--out <folder>", "write the files there instead of printing the first")
    .option("--markdown", "list the hosts as Markdown")
    .addHelpText("after", "\nExample: mirrorfeed host nginx --root /srv/site > mirrorfeed.conf")
    .action(async (name, options) => {
      const { host } = await import("../commands/host.ts");
      finish(await host(name, options, context));
    });
}
