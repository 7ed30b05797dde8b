// The sandbox's answers: Markdown about the request and what to do next.
// Some tools act on the text of an answer: they write fenced blocks to files, run tags, or read "Action: …". So an answer
// repeats the conversation without its markup only.
import type { KnownChatRequest as ChatRequest } from '../../shared/formats/chat.ts'
import { getText, splitTokens } from './tokens.ts'

const MAX_QUOTE = 280

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

const NOT_CALLED =
  'No tool was called. Either the request has no tool with the name in the command, or its `tool_choice` or output limit prevents the call.'

const ARRIVED =
  'Your request reached Tollgate on this computer, and the built-in sandbox answered it, without a network or an account.'

const NOT_UNDERSTOOD =
  'The sandbox is a test model that does not understand prompts, so this is not an answer to:'

const NEXT_STEPS = `What you can do next:

- **Keys**: create a key for each tool, with a cap.
- **Connect**: point a tool or an SDK at the base URL of Tollgate.
- **Providers**: add a provider, to use real models.`

interface ProseRequest {
  request: ChatRequest
  /** The last user message without its commands. */
  question: string
  /** A tool was commanded, but not called. */
  commanded: boolean
}

/** A Markdown answer about what happened, and the first time about what is next. */
export function createProse({ request, question, commanded }: ProseRequest): string {
  const quote = stripMarkup(question, MAX_QUOTE)
  const isFirst = !request.messages.some(({ role }) => role === 'assistant')
  const parts = [
    ...(commanded ? [NOT_CALLED] : []),
    ARRIVED,
    ...(quote === '' ? [] : [`${NOT_UNDERSTOOD}\n\n> ${quote}`]),
    ...(isFirst ? [NEXT_STEPS] : []),
  ]
  return parts.join('\n\n')
}

/** The answer after tool calls: their results as text. */
export function describeResults(request: ChatRequest): string {
  const lastCall = request.messages.findLastIndex((message) => message.role === 'assistant')
  const results = request.messages
    .slice(lastCall + 1)
    .filter(({ role }) => role === 'tool' || role === 'function')
  const lines = results.map((message) => `- ${stripMarkup(getText(message), MAX_QUOTE)}`)
  return `The ${results.length === 1 ? 'tool' : 'tools'} returned:\n\n${lines.join('\n')}`
}

const FILLER = ' The sandbox repeats this sentence up to the requested length.'

/** A text of exactly `count` tokens. */
export function createProseOfLength(count: number): string {
  const each = splitTokens(FILLER)
  const tokens = Array.from({ length: count }, (_, at) => each[at % each.length] ?? ' a')
  return tokens.join('').trimStart()
}
