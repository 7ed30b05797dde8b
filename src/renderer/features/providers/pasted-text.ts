// Base URLs and keys without what was pasted around them.
import { locateHost } from '../../../shared/values/hosts.ts'

/** Paths of requests, which Tollgate appends to the base URL itself. */
const REQUEST_PATHS =
  /\/(chat\/completions|completions|responses|messages|embeddings|models(\/[^/]+:\w+)?|models)$/

/** The base URL alone: with a scheme, and without the path of a request, quotes, spaces, a query and trailing slashes. */
export function cleanBaseUrl(text: string): string {
  const whole = addScheme(text.replace(/\s+/g, '').replace(/^["'<]+|["'>]+$/g, ''))
  const plain = text.trim().replace(/\/+$/, '')
  if (!URL.canParse(whole)) return plain
  const { protocol, host, pathname, hostname } = new URL(whole)
  if ((protocol !== 'http:' && protocol !== 'https:') || hostname === '') return plain
  return `${protocol}//${host}${pathname.replace(/\/+$/, '').replace(REQUEST_PATHS, '').replace(/\/+$/, '')}`
}

/** `localhost:8080` would be parsed as a scheme and a path. */
function addScheme(text: string): string {
  if (text === '' || /^[a-z]+:\/\//i.test(text)) return text
  const address = text.replace(/^\/+/, '')
  const host = /^(\[[^\]]*\]|[^/:?#]*)/.exec(address)?.[0] ?? ''
  if (!/^(\[|[\w.-]+$)/.test(host) || !/[.:]|^localhost/.test(address)) return text
  return `${locateHost(host) === 'public' ? 'https' : 'http'}://${address}`
}

const AROUND_KEYS = [
  /^(?:export\s+|set\s+)?[A-Z][A-Z0-9_]*\s*=\s*/,
  /^(?:authorization|x-api-key|api-key|x-goog-api-key)\s*:\s*/i,
  /^["'“”‘’`]+|["'“”‘’`]+$/g,
  /^bearer\s+/i,
  /\s+/g,
]

/** The key alone: without the name of a variable or header, quotes, `Bearer` and spaces. JSON is a key file, and stays as it is. */
export function cleanKey(text: string): string {
  const entered = text.trim()
  if (entered.startsWith('{')) return entered
  // A second pass for what is inside: quotes around a key with `Bearer`.
  return [...AROUND_KEYS, ...AROUND_KEYS].reduce((key, part) => key.replace(part, '') || key, entered)
}
