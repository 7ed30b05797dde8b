import { invalidRequest } from '../platform/errors.ts'
import { scanJson } from './scan-json.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of a body. Throws a 400 for invalid UTF-8. */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidRequest('The request body is not valid UTF-8.')
  }
}

/**
 * Parses a JSON body more strictly than JSON.parse. Throws a 400 for invalid syntax, nesting deeper than 64 levels, duplicate
 * members (RFC 8259 leaves their meaning open), `__proto__`, numbers beyond a double (`1e400` would become Infinity), and for
 * amounts that would take too long to process.
 */
export function parseStrictJson(text: string): unknown {
  scanJson(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    // V8 quotes the text around the error. It may be part of a prompt, and error messages are stored.
    const reason =
      error instanceof SyntaxError ? error.message.replace(/, (\.\.\.)?"[\s\S]*/, '') : 'it cannot be read'
    throw invalidRequest(`The request body is not valid JSON: ${reason}.`)
  }
}
