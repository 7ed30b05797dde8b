// Owns what is kept of the calling program's own word on itself: its User-Agent, and the title that some apps send.
// The name that is shown comes from it, by `store/client-name.ts`.

import { isUtf8 } from 'node:buffer'

const KEPT_MAX = 200
const TITLE_MAX = 60

type Headers = NodeJS.Dict<string | string[]>

/**
 * `Title (User-Agent)`, or the one of them that was sent; at most 200 characters, none of them a control character. Null
 * when the program says nothing of itself.
 */
export function clientOf(headers: Headers): string | null {
  const title = cleaned(headers['x-openrouter-title'] ?? headers['x-title'], TITLE_MAX)
  const agent = sdkOf(cleaned(headers['user-agent'], KEPT_MAX), headers)
  const kept =
    title === '' || agent === '' ? bracketed(title) || agent : `${bracketed(title)} (${bracketed(agent)})`
  return first(kept, KEPT_MAX) || null
}

/**
 * The SDKs that Stainless generates send their class's name, and bundlers shorten it: `ls/JS 5.23` is OpenAI's, or
 * Anthropic's where its version header is there.
 */
function sdkOf(agent: string, headers: Headers): string {
  const [, shortened, rest] = /^([\w$]{1,3})(\/\w+ \d.*)$/.exec(agent) ?? []
  if (shortened === undefined || headers['x-stainless-lang'] === undefined) return agent
  return `${headers['anthropic-version'] === undefined ? 'OpenAI' : 'Anthropic'}${rest} (sent as ${agent})`
}

/** A comment in parentheses is no part of a name, so that a name has none. */
function bracketed(text: string): string {
  return text.replaceAll('(', '[').replaceAll(')', ']')
}

function cleaned(value: string | string[] | undefined, length: number): string {
  const text = typeof value === 'string' ? decoded(value) : ''
  return first(text.replace(/[\p{C}\s]+/gu, ' ').trim(), length)
}

/** Node reads headers as Latin-1, and programs write UTF-8. */
function decoded(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) && bytes.toString('latin1') === value ? bytes.toString('utf8') : value
}

/** By code points, so that none is cut in half. */
function first(text: string, length: number): string {
  return [...text].slice(0, length).join('')
}
