/** The languages of the pages, by their tags (RFC 5646), the default first. */
export const languageNames = ["en", "de"] as const;

export type Language = (typeof languageNames)[number];
