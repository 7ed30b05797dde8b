// Owns strict JSON: what JSON.parse lets through silently and would later cost money or memory is refused here.
import { invalidRequest } from '../platform/errors.ts'
import { scanJson } from './scan-json.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of a JSON body. Throws a 400 for broken UTF-8 or syntax, depth above 64, a member named twice (RFC 8259
 * leaves the meaning open), `__proto__`, numbers beyond a double (`1e400` would read as Infinity), and more of anything
 * than can be dealt with at once.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw invalidRequest('The request body is not valid UTF-8.')
  }
  scanJson(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    // V8 quotes the text around the fault, which may be a prompt's, and ours are messages that are kept.
    const reason =
      error instanceof SyntaxError ? error.message.replace(/, (\.\.\.)?"[\s\S]*/, '') : 'it cannot be read'
    throw invalidRequest(`The request body is not valid JSON: ${reason}.`)
  }
}
