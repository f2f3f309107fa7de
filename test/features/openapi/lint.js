import { createConfig, lintFromString } from "@redocly/openapi-core";

const rules = await createConfig({ extends: ["recommended"] });

export async function lintOpenapi(source) {
  const problems = await lintFromString({ source, config: rules });
  return problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
}
