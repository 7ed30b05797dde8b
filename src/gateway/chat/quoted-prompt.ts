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

/** The text, or a sentence in its place when it quotes the messages of the request. */
export function withoutPrompt(text: string, { messages }: ChatRequest): string {
  const searched = JSON.stringify(messages)
  if (searched.length > MOST_SEARCHED) return HIDDEN
  const said = lettersOf(text)
  for (const { content } of messages) {
    if (typeof content !== 'string') continue
    const whole = lettersOf(content)
    if (whole.length >= SHORTEST_MESSAGE && said.includes(whole)) return HIDDEN
  }
  const prompt = lettersOf(searched)
  for (let at = 0; at + WINDOW <= said.length; at += STEP) {
    if (prompt.includes(said.slice(at, at + WINDOW))) return HIDDEN
  }
  return text
}
