// Owns how a value is written into what is pasted, so that it arrives as it is whatever characters it has. In JavaScript
// and Python, a JSON string is a string.

/** A word of a POSIX shell. */
export function quoteShell(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A YAML string: in JSON's quotes, as unquoted `1.5` is a number, `no` a boolean, and `@` a mistake. */
export function quoteYaml(text: string): string {
  return JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff]/g, escapeCharacter)
}

/** YAML takes these for line breaks, or does not allow them; JSON lets them stand. */
function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
