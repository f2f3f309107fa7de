/**
 * What Redocly's linter finds in an OpenAPI document: rule, message and JSON pointer. The linter stands in a file without
 * types, since its own are a sixth of what the compiler reads.
 */
export function lintOpenapi(source: string): Promise<[rule: string, message: string, pointer?: string][]>;
