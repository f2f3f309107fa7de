/** The name of a vantage. */
export const vantagePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;
