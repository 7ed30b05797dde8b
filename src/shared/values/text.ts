// Texts from elsewhere, such as names and errors, in which nothing is hidden and nothing moves what is around them.

/**
 * Control characters, line breaks, halves of surrogate pairs, and all that have no width or turn the direction of writing. Joiners and
 * variation selectors count only where they join or select nothing: emoji, and words in Arabic and Indic scripts, are written with them.
 */
const HIDDEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}\p{M}])(?:\u200c|\u200d)|(?<!\p{Extended_Pictographic})\ufe0e|(?<!\p{Extended_Pictographic})\ufe0f(?!\u20e3)/u
const ALL_HIDDEN = new RegExp(HIDDEN, 'gu')
const HIDDEN_RUNS = new RegExp(`(?:${HIDDEN.source})+`, 'gu')

export function hasHidden(text: string): boolean {
  return HIDDEN.test(text)
}

/** The text in one line, with a space for each run of hidden characters. */
export function printable(text: string): string {
  return text.replace(HIDDEN_RUNS, ' ').trim()
}

/** The text with the same lines, and with `replace` in place of every other hidden character. */
export function replaceHidden(text: string, replace: (character: string, index: number) => string): string {
  return text.replace(ALL_HIDDEN, (each, index) =>
    each === '\n' || each === '\t' ? each : replace(each, index),
  )
}

/** The words of a long list of names, which are separated by white space. */
export function splitWords(text: string): string[] {
  return text.trim().split(/\s+/)
}

/** A set of such words. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(splitWords(text))
}

/** The message of a thrown value. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** A path as it is typed in a shell of Unix. A leading `~/` stands for the home folder only outside of quotes. */
export function shellPath(path: string): string {
  if (/^[\w~./@%+=:-]+$/.test(path)) return path
  const [, home = '', rest = ''] = /^(~\/)?(.*)$/s.exec(path) ?? []
  return `${home}'${rest.replaceAll("'", `'\\''`)}'`
}
