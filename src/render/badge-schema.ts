import * as z from "zod";

/** A badge as the endpoint of shields.io reads it: https://shields.io/badges/endpoint-badge */
export const badgeSchema = z
  .strictObject({
    schemaVersion: z.literal(1),
    label: z.string().describe("The target."),
    message: z.string().describe("How many of its nodes are online, or that this is unknown."),
    color: z.string(),
    isError: z
      .literal(true)
      .optional()
      .describe("Where no node is online or nothing is known: nobody may override the color."),
  })
  .meta({ title: "badge" });

export type Badge = z.infer<typeof badgeSchema>;
