import type { ChatRequest } from '../../shared/chat.ts'
import { callerText } from '../platform/caller-text.ts'

const MAX_LENGTH = 80
/** Agents put whole files before the prompt. */
const MAX_SCANNED = 50_000

/** Blocks that agents put before or after what the user wrote. */
const BLOCK =
  /<([\w-]*(?:reminder|environment|instructions|context|caveat|stdout|stderr|permissions|skills|plugins|command-name|command-message)[\w-]*)\b[^>]*>[\s\S]*?<\/\1>/gi
const LINES = /^(# AGENTS\.md instructions for .*|This is the Gemini CLI\. We are setting up[\s\S]*)$/gm
/** What only marks the prompt: Cline's `<task>`, Cursor's `<user_query>`. */
const MARKS = /<\/?[a-z][\w-]*>/gi

/** The first words that the user wrote; null if there are none. */
export function titleOf({ messages, max_tokens }: ChatRequest): string | null {
  // Claude Code asks for one token to see whether it has any quota left.
  if (max_tokens === 1) return null
  for (const message of messages) {
    if (message.role !== 'user') continue
    for (const text of textsOf(message.content)) {
      const title = shorten(text.slice(0, MAX_SCANNED))
      if (title !== '') return title
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
  const own = text.replaceAll(BLOCK, ' ').replaceAll(LINES, ' ').replaceAll(MARKS, ' ')
  const words = own.replaceAll(/\s+/g, ' ').trim()
  if (words.length <= MAX_LENGTH) return callerText(words, MAX_LENGTH)
  const cut = words.slice(0, MAX_LENGTH + 1).replace(/\s\S*$/, '')
  return `${callerText([...cut].slice(0, MAX_LENGTH).join(''), MAX_LENGTH)}…`
}
