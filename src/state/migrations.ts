import type * as z from "zod";
import { fromSchema1 } from "./schema-1.ts";

/**
 * The migrations of a document of each older schema into the next one: the first entry reads schema 1, the second
 * schema 2. A new schema appends one, which keeps the shape it reads in its own file.
 */
export const migrations: readonly z.ZodType[] = [fromSchema1];
