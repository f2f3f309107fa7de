/**
 * Returns the problems that Redocly's linter finds in an OpenAPI document: rule, message and JSON pointer. The code is
 * JavaScript, because the linter's types would make up a sixth of all code that the compiler reads.
 */
export function lintOpenapi(source: string): Promise<[rule: string, message: string, pointer?: string][]>;
