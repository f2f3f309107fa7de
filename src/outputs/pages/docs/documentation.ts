import type { OpenapiDocument } from "../../openapi/openapi.ts";
import type { Links } from "../links.ts";

/** The data for each part of the reference. */
export interface Documentation extends Links {
  readonly description: OpenapiDocument;
  /** The URL of the feed in the examples, without a slash at its end. */
  readonly url: string;
  /** Whether that is its URL, and not a placeholder. */
  readonly isUrlKnown: boolean;
}
