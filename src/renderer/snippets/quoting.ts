// Quotes values, so that any name and secret can be pasted. A JSON string is also a JavaScript and a Python string.

/** A word of a POSIX shell. */
export function quoteShell(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A YAML string in double quotes: unquoted, `1.5` is a number, `no` a boolean, and `@` an error. */
export function quoteYaml(text: string): string {
  return JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff]/g, escapeCharacter)
}

/** JSON allows these characters unescaped; YAML reads them as line breaks or rejects them. */
function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
