import type { LucideIcon } from 'lucide-react'

/** The searched texts of an entry. */
interface SearchEntry {
  label: string
  /** Other words that find it. */
  keywords?: string
}

/** Ready to be matched: lowercase, and without the punctuation that users leave out ("gpt4o" for "gpt-4o"). */
interface PreparedEntry<T> {
  entry: T
  label: string
  plain: string
  keywords: string
}

interface Word {
  written: string
  plain: string
}

export type SearchIndex<T> = readonly PreparedEntry<T>[]

export function createSearchIndex<T extends SearchEntry>(entries: readonly T[]): SearchIndex<T> {
  return entries.map((entry) => {
    const label = entry.label.toLowerCase()
    return { entry, label, plain: toPlain(label), keywords: (entry.keywords ?? '').toLowerCase() }
  })
}

/** The entries that have all words of the text, the best match first. The order is kept among equal ones. */
export function search<T extends SearchEntry>(
  index: SearchIndex<T>,
  text: string,
): { entry: T; score: number }[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((written): Word => ({ written, plain: toPlain(written) }))
  const found: { entry: T; score: number }[] = []
  for (const prepared of index) {
    const score = scoreAll(prepared, words)
    if (score > 0) found.push({ entry: prepared.entry, score })
  }
  return found.sort((a, b) => b.score - a.score)
}

/** The best score of a word that only the keywords have. */
const IN_KEYWORDS = 25

/** Zero if a word is missing. Of equal matches in labels, the shorter label is the better one. */
function scoreAll(prepared: PreparedEntry<unknown>, words: readonly Word[]): number {
  let sum = 0
  let isInLabel = false
  for (const word of words) {
    const score = scoreWord(prepared, word)
    if (score === 0) return 0
    if (score > IN_KEYWORDS) isInLabel = true
    sum += score
  }
  return isInLabel ? sum + 10 / (10 + prepared.label.length) : sum
}

function scoreWord(
  { label, plain, keywords }: PreparedEntry<unknown>,
  { written: word, plain: plainWord }: Word,
): number {
  if (label === word) return 100
  if (label.startsWith(word)) return 80
  if (startsWord(label, word)) return 60
  if (label.includes(word)) return 40
  if (plainWord !== '' && plain.includes(plainWord)) return 35
  if (startsWord(keywords, word)) return IN_KEYWORDS
  return keywords.includes(word) ? 10 : 0
}

function startsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !isLetterOrDigit(text.charCodeAt(at - 1))) return true
  }
  return false
}

/** Quick, as it is computed for each match: letters beyond ASCII count as letters. */
function isLetterOrDigit(code: number): boolean {
  return code > 127 || (code >= 48 && code <= 57) || (code >= 97 && code <= 122)
}

function toPlain(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** In the order in which they are shown before anything is typed: first what was used last, and what the sidebar does not have. */
export const GROUPS = {
  Recent: 'Recent',
  Keys: 'Keys',
  Requests: 'Requests',
  Actions: 'Actions',
  Views: 'Views',
  Models: 'Models',
  Providers: 'Providers',
  Chats: 'Chats',
  Settings: 'Settings',
  Tools: 'Tools',
  Help: 'Help',
  Theme: 'Theme',
}
export type Group = keyof typeof GROUPS
export const groupNames = Object.keys(GROUPS) as Group[]

export interface Entry {
  id: string
  group: Group
  label: string
  /** A quieter text next to the label. */
  hint?: string
  /** Other words that find it. */
  keywords?: string
  icon: LucideIcon
  /** Shown before anything is typed. */
  isShownFirst?: boolean
  /** Other commands for it. */
  actions?: readonly Action[]
  run: () => void
}

export type Action = Pick<Entry, 'label' | 'icon' | 'run'>

export type Navigate = (href: string) => void
