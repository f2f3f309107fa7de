/**
 * Returns the fields of the first stanza of a control file of Debian (deb822) by their names in lower case. Further lines of
 * a value begin with a line feed each. Returns undefined if the text is not such a file.
 */
export function parseStanza(text: string): ReadonlyMap<string, string> | undefined {
  const fields = new Map<string, string>();
  let last: string | undefined;
  for (const line of text.split("\n")) {
    if (line.trim() === "") {
      if (fields.size > 0) break;
      continue;
    }
    if (line.startsWith("#")) continue;
    const [, name, value = ""] = /^([!"$-,.-9;-~][!-9;-~]*):[ \t]*(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      last = name.toLowerCase();
      fields.set(last, value.trim());
    } else if (/^[ \t]/.test(line) && last !== undefined) {
      fields.set(last, `${fields.get(last) ?? ""}\n${line.trim()}`);
    } else {
      return undefined;
    }
  }
  return fields.size > 0 ? fields : undefined;
}
