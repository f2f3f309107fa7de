import * as z from "zod";

/** A badge in the format of a shields.io endpoint: https://shields.io/badges/endpoint-badge */
export const badgeSchema = z
  .strictObject({
    schemaVersion: z.literal(1),
    label: z.string().describe("The name of the target."),
    message: z.string().describe("How many of its nodes are online, or `unknown`."),
    color: z.string(),
    isError: z
      .literal(true)
      .optional()
      .describe(
        "Present if no node is online or the statuses are unknown. The color then cannot be overridden.",
      ),
  })
  .meta({ title: "badge" });

export type Badge = z.infer<typeof badgeSchema>;
