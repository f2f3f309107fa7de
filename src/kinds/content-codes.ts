/** What can be wrong with the content of a mirror that is reachable, with its sentence. It is freshness, not a status. */
export const contentCodes = {
  missing_file: "A file that its index names is missing.",
  half_synced: "Its index names content that it does not have: its last copy was cut off.",
  expired: "Its index says that it is valid no longer: it is not updated any more.",
} as const;

/** A code of content that is not right. */
export type ContentCode = keyof typeof contentCodes;

export const contentCodeNames: readonly ContentCode[] = Object.keys(contentCodes).filter(
  (name): name is ContentCode => Object.hasOwn(contentCodes, name),
);

/** Why a mirror is offline that answers well, if the operator decided so: the freshness of its content. */
export const freshnessCodes = {
  behind: "Its content is older than the operator allows.",
  differs: "Its content is not that of the reference.",
} as const;
