// The sandbox's answers: Markdown about the conversation, reproducible by seed.
// Some tools act on the text of an answer: they write fenced blocks to files, run tags, or read "Action: …". So an answer
// repeats the conversation without its markup only, and its own code is in a block quote, where no line begins with a
// fence.
import type { KnownChatRequest as ChatRequest } from '../../shared/chat.ts'
import { textOf, tokensOf } from './tokens.ts'

const MAX_QUOTE = 280

const COMMON_WORDS = new Set(
  `about above after again also another because been before being between both could does doing down each else every
  from give have having here into just like make many more most much must need only other over please same should
  show some such tell than that their them then there these they this those through under until very want what when
  where which while will with would write your`.split(/\s+/),
)

const OPENINGS = [
  'Thanks for the message. Here is what the sandbox makes of it.',
  'Good to hear from you. This is the sandbox speaking.',
  'Message received. A short and friendly reply follows.',
  'Happy to help, as far as a sandbox can.',
] as const

const CLOSINGS = [
  'Connect a real provider when you want a real model; nothing in your code has to change.',
  'This answer was made on your own machine, without any network or account.',
  'Ask the same with the same `seed`, and you get the same words.',
  'Tokens, cost and limits of this request are counted as for any other model.',
] as const

/** A 32-bit FNV-1a hash, to choose among a few wordings. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return hash
}

function pick<T>(from: readonly [T, ...T[]], number: number): T {
  return from[number % from.length] ?? from[0]
}

/** The first `max` words of a text that are not common words. */
export function findTopics(text: string, max: number): string[] {
  const words =
    text
      .slice(0, 4000)
      .toLowerCase()
      .match(/[\p{L}][\p{L}\p{N}'-]{3,}/gu) ?? []
  return [...new Set(words.filter((word) => !COMMON_WORDS.has(word)))].slice(0, max)
}

/**
 * The words of a text on one line, without the characters that code, tags and markup are made of. Each omission leaves an
 * ellipsis, so that no command becomes another one.
 */
export function stripMarkup(text: string, length: number): string {
  const line = text
    .replace(/[`"“”()[\]]+/g, ' ')
    .replace(/[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\s.,;!?'’/%+_-]+|-{2,}|_{2,}/gu, '…')
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= length ? line : `${line.slice(0, length - 1).trimEnd()}…`
}

function createBody(question: string, topics: readonly string[]): string {
  const [topic = 'your message'] = topics
  if (/\b(code|function|script|program|snippet|typescript|javascript|python)\b/i.test(question)) {
    const name = topic.replace(/[^a-z0-9]/gi, '') || 'answer'
    const lines = [
      '```ts',
      `export function ${name}(input: string): string {`,
      '  return input.trim()',
      '}',
      '```',
    ]
    return `A starting point:\n\n${lines.map((line) => `> ${line}`).join('\n')}`
  }
  if (/\b(list|steps|ideas|examples|reasons|ways)\b/i.test(question)) {
    const items = topics.length > 1 ? topics : [topic, 'a first draft', 'a closer look']
    return items.map((item, at) => `${at + 1}. **${item}**: worth a thought of its own.`).join('\n')
  }
  if (/\?\s*$/.test(question)) {
    return `In short: it depends on **${topic}**. A real model would now weigh the details; the sandbox only knows that you asked.`
  }
  const others = topics.slice(1, 4)
  const also = others.length > 0 ? `, with ${others.map((word) => `*${word}*`).join(', ')} close by` : ''
  return `The subject seems to be **${topic}**${also}.`
}

function imagesIn(request: ChatRequest): number {
  const { content } = request.messages.at(-1) ?? { content: null }
  return Array.isArray(content) ? content.filter((part) => part.type === 'image_url').length : 0
}

const NOT_CALLED =
  'No tool was called: the request has none of the name that was commanded, or its `tool_choice` or output limit is in the way.'

/** A Markdown answer. `variant` selects the wording; `commanded`: a tool was commanded, but not called. */
export function createProse(
  request: ChatRequest,
  question: string,
  variant: number,
  commanded: boolean,
): string {
  const images = imagesIn(request)
  const quote = stripMarkup(question, MAX_QUOTE)
  const parts = [
    pick(OPENINGS, variant),
    ...(quote ? [`> ${quote}`] : []),
    ...(commanded ? [NOT_CALLED] : []),
    ...(images > 0
      ? [
          `You sent ${images === 1 ? 'an image' : `${images} images`} along. The sandbox sees it, but cannot look at it.`,
        ]
      : []),
    createBody(question, findTopics(question, 5)),
    pick(CLOSINGS, Math.floor(variant / OPENINGS.length)),
  ]
  return parts.join('\n\n')
}

/** The answer after tool calls: their results as text. */
export function describeResults(request: ChatRequest): string {
  const lastCall = request.messages.findLastIndex((message) => message.role === 'assistant')
  const results = request.messages
    .slice(lastCall + 1)
    .filter(({ role }) => role === 'tool' || role === 'function')
  const lines = results.map((message) => `- ${stripMarkup(textOf(message), MAX_QUOTE)}`)
  return `The ${results.length === 1 ? 'tool' : 'tools'} answered:\n\n${lines.join('\n')}\n\nThat is all the sandbox needed to know.`
}

/** A text of exactly `count` tokens. */
export function createProseOfLength(count: number, variant: number): string {
  const sentence = ` ${pick(CLOSINGS, variant)}`
  const each = tokensOf(sentence)
  const tokens = Array.from({ length: count }, (_, at) => each[at % each.length] ?? ' a')
  return tokens.join('').trimStart()
}
