import { expect, test } from "vitest";
import { channelsKey } from "../../src/config/notify.ts";
import { missingVariables, variablesOf, withoutSecrets } from "../../src/notify/secrets.ts";

const [mail] = Object.values(
  channelsKey.parse({
    ops: {
      type: "email",
      server: "smtp.example.org",
      from: "mirrors@example.org",
      toEnv: "TO",
      userEnv: "USER_NAME",
      passwordEnv: "PASSWORD",
    },
  }),
);
if (mail === undefined) throw new Error("there is a channel");

test("a channel needs the variables that its keys name", () => {
  expect(variablesOf(mail)).toEqual(["TO", "USER_NAME", "PASSWORD"]);
  expect(missingVariables(mail, { TO: "a@example.org", USER_NAME: "" })).toEqual(["USER_NAME", "PASSWORD"]);
  expect(missingVariables(mail, { TO: "a", USER_NAME: "b", PASSWORD: "c" })).toEqual([]);
});

test("a text loses the values of these variables, the longest first, and not those that hide all", () => {
  const environment = {
    TO: "ops@example.org",
    USER_NAME: "ops@example.org/admin",
    PASSWORD: "535",
    HOME: "/root",
  };
  const shown = withoutSecrets("535 ops@example.org/admin of ops@example.org in /root", mail, environment);
  expect(shown).toBe("535 *** of *** in /root");
});
