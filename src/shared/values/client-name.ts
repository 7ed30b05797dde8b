import { wordSet } from './text.ts'

const NAME_MAX = 60

/** Product names that browsers, and the engine inside many desktop apps, send: none of them names a program. */
const ENGINES = wordSet(`
  Mozilla AppleWebKit Chrome CriOS Edg Electron Firefox FxiOS Gecko HeadlessChrome Mobile OPR Safari
  Version`)

/**
 * The program that a User-Agent (RFC 9110, section 10.1.5) names, without its version and at most 60 characters long:
 * `OpenAI/JS 7.55.0` is `OpenAI/JS`. A browser is `Browser`; an app with a browser inside goes by its own name.
 * '' when nothing is named.
 */
export function clientName(userAgent: string | null): string {
  const known = names.get(userAgent)
  if (known !== undefined) return known
  const name = readName(userAgent)
  if (names.size === MAX_NAMES) names.clear()
  names.set(userAgent, name)
  return name
}

/** A few programs make all requests. */
const MAX_NAMES = 500
const names = new Map<string | null, string>()

function readName(userAgent: string | null): string {
  const words = (userAgent ?? '')
    .replace(/\([^)]*\)*/g, ' ')
    .split(/[\s,;]+/)
    .filter((word) => word !== '')
  return [...findName(words)].slice(0, NAME_MAX).join('')
}

function findName(words: string[]): string {
  const [first = '', second = ''] = words
  if (first.startsWith('Mozilla/')) {
    const own = words.find((word) => /^\D[^/]*\/\d/.test(word) && !ENGINES.has(withoutVersion(word)))
    return own ? withoutVersion(own) : 'Browser'
  }
  // The core package comes before the name: `ai/7.0.173 ai-sdk-provider-utils/5.0.81`.
  if (withoutVersion(first) === 'ai' && second.startsWith('ai-sdk')) return 'ai-sdk'
  const name: string[] = []
  for (const word of words) {
    if (isVersion(word)) break
    name.push(withoutVersion(word))
    if (word.includes('/')) break
  }
  return name.join(' ')
}

/** `ai-sdk/openai-compatible/3.0.92` has two parts to its name. */
function withoutVersion(word: string): string {
  const parts = word.split('/')
  const version = parts.findIndex((part, at) => at > 0 && isVersion(part))
  return (version < 0 ? parts : parts.slice(0, version)).filter((part) => part !== '').join('/')
}

function isVersion(word: string): boolean {
  return /^v?\d/.test(word)
}
