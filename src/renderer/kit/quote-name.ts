/** Letters that are written from right to left. */
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u
const FIRST_STRONG_ISOLATE = '\u2068'
const POP_DIRECTIONAL_ISOLATE = '\u2069'

/**
 * A name for the middle of a text, such as a message, a title or a label: whatever its direction, what is around it stays in order.
 * In elements, `<bdi>` does the same.
 */
export function isolate(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? FIRST_STRONG_ISOLATE + name + POP_DIRECTIONAL_ISOLATE : name
}

/** The name of something that the user has named, in quotation marks. */
export function quoteName(name: string): string {
  return `“${isolate(name)}”`
}
