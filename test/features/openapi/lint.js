import { createConfig, lintFromString } from "@redocly/openapi-core";

// Folders end with a slash, to which some hosts would redirect.
const rules = await createConfig({ extends: ["recommended"], rules: { "no-path-trailing-slash": "off" } });

export async function lintOpenapi(source) {
  const problems = await lintFromString({ source, config: rules });
  return problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
}
