/** RFC 9110, section 5.1. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
/** Visible ASCII and spaces between. */
export const HEADER_VALUE = /^[!-~](?:[ -~]{0,1998}[!-~])?$/
export const MAX_HEADERS = 20

/** Reads lines such as `Authorization: Bearer …`. Returns a sentence about the first line that is not a header. */
export function parseHeaderLines(text: string): Record<string, string> | string {
  const headers: Record<string, string> = {}
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue
    const at = line.indexOf(':')
    const name = line.slice(0, at).trim()
    const value = line.slice(at + 1).trim()
    if (at === -1 || !HEADER_NAME.test(name) || !HEADER_VALUE.test(value))
      return 'Enter one header a line: a name, a colon and a value.'
    headers[name] = value
  }
  if (Object.keys(headers).length > MAX_HEADERS) return `Enter at most ${MAX_HEADERS} headers.`
  return headers
}
