// The channels, exported under the names that mirrors.json uses. Add a line for each new channel.
export { email } from "./email.ts";
export { github } from "./github.ts";
export { webhook } from "./webhook.ts";
