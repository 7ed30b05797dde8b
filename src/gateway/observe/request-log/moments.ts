/** Milliseconds since 1970 of a date-time that a schema has checked. */
export function parseMoment(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}
