/** The formats of lists of mirrors, in the order in which they are tried: a plain list is the most general. */
export const formatNames = ["upptime", "gatus", "pacman", "apt", "urls"] as const;

export type FormatName = (typeof formatNames)[number];
