// The sandbox's answers: Markdown about the request and what to do next, reproducible by seed.
// Some tools act on the text of an answer: they write fenced blocks to files, run tags, or read "Action: …". So an answer
// repeats the conversation without its markup only, and its own code is in a block quote, where no line begins with a
// fence.
import type { KnownChatRequest as ChatRequest } from '../../shared/formats/chat.ts'
import { formatUsd } from '../../shared/money/format-usd.ts'
import { getText, splitTokens } from './tokens.ts'

const MAX_QUOTE = 280

/** A 32-bit FNV-1a hash, to choose among a few wordings. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return hash
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

function imagesIn(request: ChatRequest): number {
  const { content } = request.messages.at(-1) ?? { content: null }
  return Array.isArray(content) ? content.filter((part) => part.type === 'image_url').length : 0
}

const NOT_CALLED =
  'No tool was called. Either the request has no tool with the name in the command, or its `tool_choice` or output limit prevents the call.'

const GREETING =
  /^\W*(hi|hello|hey|hallo|good (morning|afternoon|evening)|greetings|ping|test(ing)?|thanks?( you)?)\b/i
const MAX_GREETING = 40

const ARRIVED =
  'Your request reached Tollgate on this computer, and the built-in sandbox answered it, without a network or an account.'

const NOT_UNDERSTOOD =
  'The sandbox is a test model that does not understand prompts, so this is not an answer to:'

const NEXT_STEPS = `What you can do next:

- **Keys**: create a key for each tool, with a cap.
- **Connect**: point a tool or an SDK at the base URL of Tollgate.
- **Providers**: add a provider, to use real models.`

const HINTS = [
  '**Help** explains how caps and limits hold.',
  '**Help** explains how to connect Claude Code, Codex and other tools.',
  '**Help** explains what each error means.',
  '**Help** lists the commands in a prompt that make the sandbox fail, wait, stop in the middle or call a tool.',
]

function describeCost(costUsd: number, first: boolean): string {
  const about = `This request costs about ${formatUsd(Number(costUsd.toPrecision(2)))}`
  return first
    ? `${about}, at the sample prices of the sandbox. No one bills that, but it counts against caps. The exact cost is in the header \`X-Service-Cost-Usd\` and in **Requests**; Playground shows it below the answer.`
    : `${about}, at the sample prices of the sandbox. The exact cost is in **Requests**.`
}

/** So that code in answers can be displayed and tested. */
const CODE_SAMPLE = `A code block, to test how code is displayed:

> \`\`\`ts
> export function answer(input: string): string {
>   return input.trim()
> }
> \`\`\``

const CODE = /\b(code|function|script|program|snippet|typescript|javascript|python)\b/i

export interface ProseRequest {
  request: ChatRequest
  /** The last user message without its commands. */
  question: string
  /** Selects among a few wordings. */
  variant: number
  /** A tool was commanded, but not called. */
  commanded: boolean
  /** The likely cost of the request; null if the model has no price. */
  costUsd: number | null
}

/** A Markdown answer about what happened and what is next. */
export function createProse({ request, question, variant, commanded, costUsd }: ProseRequest): string {
  const images = imagesIn(request)
  const quote = stripMarkup(question, MAX_QUOTE)
  const isFirst = !request.messages.some(({ role }) => role === 'assistant')
  const isGreeting = quote === '' || (question.length <= MAX_GREETING && GREETING.test(question))
  const parts = [
    ...(commanded ? [NOT_CALLED] : []),
    ...(isGreeting || isFirst ? [ARRIVED] : []),
    ...(isGreeting ? [] : [`${NOT_UNDERSTOOD}\n\n> ${quote}`]),
    ...(images > 0
      ? [
          `The request has ${images === 1 ? 'an image' : `${images} images`}, which the sandbox does not look at.`,
        ]
      : []),
    ...(CODE.test(question) ? [CODE_SAMPLE] : []),
    ...(costUsd === null ? [] : [describeCost(costUsd, isFirst)]),
    ...(isFirst ? [NEXT_STEPS] : []),
    HINTS[variant % HINTS.length] ?? '',
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
