export type PlainHeaders = Readonly<Record<string, string>>

export const NO_HEADERS: PlainHeaders = {}

/** The headers with these names, in lower case, that were sent once; `NO_HEADERS` if there are none. */
export function pickHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: RegExp | undefined,
): PlainHeaders {
  if (names === undefined) return NO_HEADERS
  let picked: Record<string, string> | null = null
  for (const name in headers) {
    const value = headers[name]
    if (typeof value !== 'string' || !names.test(name)) continue
    picked ??= {}
    picked[name] = value
  }
  return picked ?? NO_HEADERS
}
