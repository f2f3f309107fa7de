/** Created on first use, since creating it takes long. */
let names: Intl.DisplayNames | undefined;

/** Takes a two-letter country code. */
export function countryName(country: string): string {
  names ??= new Intl.DisplayNames("en-GB", { type: "region" });
  return names.of(country) ?? country;
}
