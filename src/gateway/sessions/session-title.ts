import type { ChatRequest } from '../../shared/chat.ts'
import { callerText } from '../platform/ids.ts'
import { withoutBlocks } from './agent-blocks.ts'

const MAX_LENGTH = 80
/** Agents put whole files before the prompt. */
const MAX_SCANNED = 50_000
/** Of all texts together: a caller chooses how many there are. */
const MAX_SCANNED_IN_ALL = 8 * MAX_SCANNED
const LINES = /^(# AGENTS\.md instructions for .*|This is the Gemini CLI\. We are setting up[\s\S]*)$/gm
/** What only marks the prompt: Cline's `<task>`, Cursor's `<user_query>`. */
const MARKS = /<\/?[a-z][\w-]*>/gi

/** The first words that the user wrote; null if there are none. */
export function titleOf({ messages, max_tokens }: ChatRequest): string | null {
  // Claude Code asks for one token to see whether it has any quota left.
  if (max_tokens === 1) return null
  let left = MAX_SCANNED_IN_ALL
  for (const message of messages) {
    if (message.role !== 'user') continue
    for (const text of textsOf(message.content)) {
      const scanned = text.slice(0, Math.min(MAX_SCANNED, left))
      const title = shorten(scanned)
      if (title !== '') return title
      left -= scanned.length
      if (left <= 0) return null
    }
  }
  return null
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((part: unknown) => {
    const text = typeof part === 'object' && part !== null ? Reflect.get(part, 'text') : null
    return typeof text === 'string' ? [text] : []
  })
}

function shorten(text: string): string {
  const own = withoutBlocks(text).replaceAll(LINES, ' ').replaceAll(MARKS, ' ')
  const words = own.replaceAll(/\s+/g, ' ').trim()
  if (words.length <= MAX_LENGTH) return callerText(words, MAX_LENGTH)
  const cut = words.slice(0, MAX_LENGTH + 1).replace(/\s\S*$/, '')
  return `${callerText([...cut].slice(0, MAX_LENGTH).join(''), MAX_LENGTH)}…`
}
