import { locateHost } from '../../../shared/values/hosts.ts'

// Mistakes in pasted base URLs and keys, with what was meant.

/** Paths of requests, which Tollgate appends to the base URL itself. */
const REQUEST_PATHS =
  /\/(chat\/completions|completions|responses|messages|embeddings|models(\/[^/]+:\w+)?|models)$/

/** The base URL that was meant; null if nothing is wrong with this one, or if that is uncertain. */
export function fixBaseUrl(text: string): string | null {
  const entered = text.trim()
  const whole = addScheme(entered.replace(/\s+/g, '').replace(/^["'<]+|["'>]+$/g, ''))
  if (!URL.canParse(whole)) return null
  const { protocol, host, pathname, hostname } = new URL(whole)
  if ((protocol !== 'http:' && protocol !== 'https:') || hostname === '') return null
  const path = pathname.replace(/\/+$/, '').replace(REQUEST_PATHS, '').replace(/\/+$/, '')
  const fixed = `${protocol}//${host}${path}`
  return fixed === entered.replace(/\/+$/, '') || fixed === withoutDefaults(entered) ? null : fixed
}

/** `localhost:8080` would be parsed as a scheme and a path. */
function addScheme(text: string): string {
  if (text === '' || /^[a-z]+:\/\//i.test(text)) return text
  const address = text.replace(/^\/+/, '')
  const host = /^(\[[^\]]*\]|[^/:?#]*)/.exec(address)?.[0] ?? ''
  if (!/^(\[|[\w.-]+$)/.test(host) || !/[.:]|^localhost/.test(address)) return text
  return `${locateHost(host) === 'public' ? 'https' : 'http'}://${address}`
}

/** In the form that `URL` gives it: a lower-case host without the port of its scheme. There is nothing to fix in that. */
function withoutDefaults(text: string): string {
  if (!URL.canParse(text)) return text
  const { protocol, host, pathname, search, hash, username } = new URL(text)
  if (search || hash || username) return ''
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}

interface KeyMistake {
  /** The excess characters, as in "Remove the quotes". */
  excess: string
  fixed: string
}

const KEY_MISTAKES: readonly { pattern: RegExp; excess: (matched: string) => string }[] = [
  {
    pattern: /^(?:export\s+|set\s+)?[A-Z][A-Z0-9_]*\s*=\s*/,
    excess: (matched) => `“${matched.trim()}”`,
  },
  {
    pattern: /^(?:authorization|x-api-key|api-key|x-goog-api-key)\s*:\s*/i,
    excess: () => 'the header’s name',
  },
  { pattern: /^["'“”‘’`]+|["'“”‘’`]+$/g, excess: () => 'the quotes' },
  { pattern: /^bearer\s+/i, excess: () => '“Bearer”' },
  { pattern: /\s+/g, excess: () => 'the spaces' },
]

/** The key that was meant; null if nothing is wrong. JSON is a key file, and stays as it is. */
export function fixKey(text: string): KeyMistake | null {
  const entered = text.trim()
  if (entered === '' || entered.startsWith('{')) return null
  let fixed = entered
  const excess: string[] = []
  // A second pass for what is inside: quotes around a key with `Bearer`.
  for (const { pattern, excess: describe } of [...KEY_MISTAKES, ...KEY_MISTAKES]) {
    const [matched] = fixed.match(pattern) ?? []
    const rest = fixed.replace(pattern, '')
    if (matched === undefined || rest === '') continue
    fixed = rest
    if (!excess.includes(describe(matched))) excess.push(describe(matched))
  }
  return excess.length === 0 ? null : { excess: excess.join(' and '), fixed }
}
