// The channels, exported under their names in mirrors.json. Add a line for a new one.
export { email } from "./email.ts";
export { github } from "./github.ts";
export { webhook } from "./webhook.ts";
