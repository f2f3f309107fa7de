/**
 * Returns the problems that Redocly's linter finds in an OpenAPI document: rule, message and JSON pointer. The linter is in a
 * JavaScript file, since its types are a sixth of all code that the compiler reads.
 */
export function lintOpenapi(source: string): Promise<[rule: string, message: string, pointer?: string][]>;
