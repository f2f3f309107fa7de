import { type Command, Option } from "@commander-js/extra-typings";
import { readListen, readPort } from "../commands/arguments.ts";
import type { Setting } from "../commands/setting.ts";
import { config, out, json } from "./options.ts";
import type { Finish } from "./program.ts";

/** The commands that bring the feed to its readers. */
export function declareServing(program: Command, setting: Setting, finish: Finish): void {
  program
    .command("serve")
    .description("preview the site with the routing of the contract")
    .option(...out)
    .option("--port <number>", "the port, 0 for any free one", readPort, 8080)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .addHelpText("after", "\nExample: mirrorfeed serve --port 8080")
    .action(async (options) => {
      const { serve } = await import("../commands/serve.ts");
      finish(await serve(options, setting));
    });

  program
    .command("publish")
    .description("make the site the content of a branch of any git remote")
    .option(...out)
    .option(...config)
    .option(
      "--remote <url>",
      "where to publish; origin of the repository around mirrors.json where it is left out",
    )
    .option("--branch <name>", "the branch", "gh-pages")
    .option("--history", "add a commit to the branch; else it has one commit only")
    .option("--message <text>", "the message of the commit")
    .option(...json)
    .addHelpText(
      "after",
      "\nExample: mirrorfeed publish --remote https://github.com/owner/repository --branch gh-pages",
    )
    .action(async (options) => {
      const { publish } = await import("../commands/publish.ts");
      finish(await publish(options, setting));
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
      new Option("--profile <name>", "what the host can do")
        .choices(["full", "pages"] as const)
        .default("full" as const),
    )
    .option(...json)
    .addHelpText("after", "\nExample: mirrorfeed verify https://status.example.org/ --config mirrors.json")
    .action(async (url, options) => {
      const { verify } = await import("../commands/verify.ts");
      finish(await verify({ url, ...options }, setting));
    });

  program
    .command("host")
    .description("print the configuration of a web server, or list the hosts")
    .argument("[name]", "the host; all are listed where it is left out")
    .option(...config)
    .option("--listen <address:port>", "where the server listens", readListen, {
      address: "0.0.0.0",
      port: 80,
    })
    .option("--root <folder>", "the folder of the site, as the server sees it", "_site")
    .option("--out <folder>", "write the files there instead of printing the first")
    .option("--markdown", "list the hosts as Markdown")
    .addHelpText("after", "\nExample: mirrorfeed host nginx --root /srv/site > mirrorfeed.conf")
    .action(async (name, options) => {
      const { host } = await import("../commands/host.ts");
      finish(await host(name, options, setting));
    });
}
