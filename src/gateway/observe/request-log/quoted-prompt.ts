// Prompts must not be stored with errors, but providers quote them in their error messages.
import type { ChatRequest } from '../../../shared/formats/chat.ts'

/** Letters and digits; a run of so many that is in both texts is a quotation and no coincidence. */
const WINDOW = 12
const STEP = 6
/** Shorter messages are not searched for. */
const MIN_MESSAGE = 4
/** Characters; a search in more takes too long, so no message is stored at all. */
const MAX_SEARCHED = 1_000_000

const HIDDEN = 'The provider’s message is not stored, because it quotes the request.'

function normalize(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}

/**
 * Returns a filter that replaces a text with our own sentence when it quotes the messages of the request. The messages are
 * read once, and only when there is a text to filter.
 */
export function quotationFilter({ messages }: ChatRequest): (text: string) => string {
  let prompt: Prompt | null | undefined
  return (text) => {
    if (prompt === undefined) prompt = readPrompt(messages)
    return prompt === null || isQuoting(normalize(text), prompt) ? HIDDEN : text
  }
}

interface Prompt {
  letters: string
  /** Each message that is one text. */
  messages: readonly string[]
}

/** Null for messages that are too long to be searched. */
function readPrompt(messages: ChatRequest['messages']): Prompt | null {
  const searched = JSON.stringify(messages)
  if (searched.length > MAX_SEARCHED) return null
  const texts = messages
    .flatMap(({ content }) => (typeof content === 'string' ? [normalize(content)] : []))
    .filter((text) => text.length >= MIN_MESSAGE)
  return { letters: normalize(searched), messages: texts }
}

function isQuoting(text: string, { letters, messages }: Prompt): boolean {
  if (messages.some((message) => text.includes(message))) return true
  for (let at = 0; at + WINDOW <= text.length; at += STEP) {
    if (letters.includes(text.slice(at, at + WINDOW))) return true
  }
  return false
}
