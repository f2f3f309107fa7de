// The channels by their names in mirrors.json: add a line for a new one.
export { email } from "./email.ts";
export { github } from "./github.ts";
export { webhook } from "./webhook.ts";
