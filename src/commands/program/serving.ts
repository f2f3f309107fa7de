import { type Command, Option } from "@commander-js/extra-typings";
import { hosts, profiles, slashlessProfile } from "../../hosts/registry.ts";
import { parseListen, parsePort } from "./option-values.ts";
import type { CommandContext } from "../../base/terminal/context.ts";
import { config, out, json, type Finish } from "./options.ts";

const slashlessProfiles = hosts.flatMap(({ profile, title, slashlessPages }) =>
  profile === undefined || slashlessPages === undefined
    ? []
    : [`${slashlessProfile(profile)} is ${title} with site.slashless`],
);

/** Declares the commands that bring the feed to its readers. */
export function declareServing(program: Command, context: CommandContext, finish: Finish): void {
  program.commandsGroup("Publish it:");

  program
    .command("serve")
    .description("preview the site with the routing of the contract")
    .option(...out)
    .option("--port <number>", "the port, 0 for any free one", parsePort, 8080)
    .option("--address <address>", "the address to listen on", "127.0.0.1")
    .action(async (options) => {
      const { serve } = await import("../serve.ts");
      finish(await serve(options, context));
    });

  program
    .command("publish")
    .description("make the site the content of a branch of a Git remote")
    .option(...out)
    .option(...config)
    .option("--remote <url>", "the remote (default: origin of the repository around mirrors.json)")
    .option("--branch <name>", "the branch", "gh-pages")
    .option("--history", "add a commit to the branch instead of replacing its only commit")
    .addOption(
      new Option("--replace", "delete the commits of a branch that is not a published feed").conflicts(
        "history",
      ),
    )
    .option("--message <text>", "the message of the commit")
    .option(...json)
    .action(async (options) => {
      const { publish } = await import("../publish.ts");
      finish(await publish(options, context));
    });

  program
    .command("verify")
    .description("test a deployment against the contract")
    .argument("<url>", "the URL of the site, with its path")
    .option(
      "--config <file>",
      "the mirrors.json that the deployment was built from (default: the names that it lists)",
    )
    .addOption(
      new Option("--profile <name>", ["what the host can do", ...slashlessProfiles].join("; "))
        .choices([...profiles.keys()])
        .default("full"),
    )
    .option(...json)
    .action(async (url, options) => {
      const { verify } = await import("../verify.ts");
      finish(await verify({ url, ...options }, context));
    });

  program
    .command("host")
    .description("print the configuration of a web server, or list the hosts")
    .argument("[name]", "the host (default: list all)")
    .option(...config)
    .addOption(
      new Option("--listen <address:port>", "where the server listens")
        .argParser(parseListen)
        .default({ address: "0.0.0.0", port: 80 }, "0.0.0.0:80"),
    )
    .option("--root <folder>", "the folder of the site on the server", "_site")
    .option("--out <folder>", "write the configuration into this folder instead of printing its first file")
    .option("--markdown", "list the hosts as Markdown")
    .action(async (name, options) => {
      const { host } = await import("../host.ts");
      finish(await host(name, options, context));
    });
}
