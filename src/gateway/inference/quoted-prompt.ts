// Keeps prompts out of what is stored: providers quote them in their error texts.
import type { ChatRequest } from '../../shared/chat.ts'

/** Letters and digits; a longer run that stands in both texts is a quotation and no coincidence. */
const WINDOW = 12
const STEP = 6
/** A whole message is looked for as such, where it is shorter than a run. */
const SHORTEST_MESSAGE = 4
/** Beyond this much, searching takes too long; then nothing is kept. */
const MOST_SEARCHED = 1_000_000

const HIDDEN = 'The provider’s own words are not kept, because they quote the request.'

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}

/**
 * Gives a text back, or a sentence in its place when it quotes the messages of the request. The messages are read once,
 * and only when there is a text to look at.
 */
export function quotationFilter({ messages }: ChatRequest): (text: string) => string {
  let prompt: Prompt | null | undefined
  return (text) => {
    if (prompt === undefined) prompt = readPrompt(messages)
    return prompt === null || quotes(lettersOf(text), prompt) ? HIDDEN : text
  }
}

interface Prompt {
  letters: string
  /** Each message that is one text. */
  wholes: readonly string[]
}

/** Null for one that is too long to be searched. */
function readPrompt(messages: ChatRequest['messages']): Prompt | null {
  const searched = JSON.stringify(messages)
  if (searched.length > MOST_SEARCHED) return null
  const wholes = messages
    .flatMap(({ content }) => (typeof content === 'string' ? [lettersOf(content)] : []))
    .filter((whole) => whole.length >= SHORTEST_MESSAGE)
  return { letters: lettersOf(searched), wholes }
}

function quotes(said: string, { letters, wholes }: Prompt): boolean {
  if (wholes.some((whole) => said.includes(whole))) return true
  for (let at = 0; at + WINDOW <= said.length; at += STEP) {
    if (letters.includes(said.slice(at, at + WINDOW))) return true
  }
  return false
}
