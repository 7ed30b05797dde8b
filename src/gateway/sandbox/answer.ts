// The sandbox's answers: a tool call, JSON, or Markdown about the request and what to do next.
// Some tools act on the text of an answer: they write fenced blocks to files, run tags, or read "Action: …". So an answer
// repeats the conversation without its markup only.
import { NO_USAGE } from '../../shared/api/usage-buckets.ts'
import {
  type KnownChatRequest as ChatRequest,
  outputLimit,
  type ToolCall,
} from '../../shared/formats/chat.ts'
import type { FinishReason } from '../../shared/formats/chat-completion.ts'
import type { ReportedUsage } from '../formats/chat/usage.ts'
import { isObject } from '../formats/json/json.ts'
import { readCommands, type SandboxCommands } from './commands.ts'
import { countCall, countPrompt, getText, splitTokens } from './tokens.ts'
import { createInstance, createToolCall } from './tools.ts'

export interface SandboxChoice {
  /** The answer in tokens; empty when a tool is called. */
  tokens: string[]
  toolCall: ToolCall | null
  finishReason: FinishReason
}

export interface SandboxAnswer {
  commands: SandboxCommands
  choices: SandboxChoice[]
  usage: ReportedUsage | null
}

/**
 * The same for the same request. `maxOutputTokens`: the limit for each choice, where the request has none or a higher one.
 */
export function createAnswer(request: ChatRequest, maxOutputTokens: number): SandboxAnswer {
  const { commands, rest } = readCommands(getText(request.messages.findLast(({ role }) => role === 'user')))
  const limit = Math.min(outputLimit(request) ?? maxOutputTokens, maxOutputTokens)
  const choice = createChoice(request, rest, commands, limit)
  const choices = Array.from({ length: request.n ?? 1 }, () => choice)
  const output = choices.length * (choice.toolCall ? countCall(choice.toolCall) : choice.tokens.length)
  return { commands, choices, usage: commands.noUsage ? null : createUsage(countPrompt(request), output) }
}

/** `question`: the last user message without its commands. `limit`: in tokens. */
function createChoice(
  request: ChatRequest,
  question: string,
  commands: SandboxCommands,
  limit: number,
): SandboxChoice {
  const isTextCommanded = commands.echo !== null || commands.tokens !== null
  const toolCall = isTextCommanded ? null : createToolCall(request, commands.tools)
  // A call that the limit would cut is useless: then the answer is text, cut at the limit.
  if (toolCall && countCall(toolCall) <= limit) return { tokens: [], toolCall, finishReason: 'tool_calls' }
  const tokens = splitTokens(cutAtStop(createText(request, question, commands), request.stop))
  if (tokens.length > limit) return { tokens: tokens.slice(0, limit), toolCall: null, finishReason: 'length' }
  return { tokens, toolCall: null, finishReason: commands.filter ? 'content_filter' : 'stop' }
}

function createText(request: ChatRequest, question: string, commands: SandboxCommands): string {
  if (commands.echo !== null) return commands.echo
  if (commands.tokens !== null) return repeatFiller(commands.tokens)
  const format = request.response_format
  if (format?.type === 'json_schema') {
    const { schema } = format.json_schema
    return JSON.stringify(createInstance(isObject(schema) ? schema : { type: 'object' }))
  }
  const quote = stripMarkup(question)
  if (format?.type === 'json_object') return JSON.stringify({ answer: quote, source: 'sandbox' })
  const last = request.messages.at(-1)?.role
  if (last === 'tool' || last === 'function') return describeResults(request)
  const isFirst = !request.messages.some(({ role }) => role === 'assistant')
  return [
    ...(commands.tools.length > 0 ? [NOT_CALLED] : []),
    ARRIVED,
    ...(quote === '' ? [] : [`${NOT_UNDERSTOOD}\n\n> ${quote}`]),
    ...(isFirst ? [NEXT_STEPS] : []),
  ].join('\n\n')
}

/** The text before the first stop sequence. */
function cutAtStop(text: string, stop: ChatRequest['stop']): string {
  const sequences = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((sequence) => sequence !== '')
  const ends = sequences.map((sequence) => text.indexOf(sequence)).filter((at) => at >= 0)
  return ends.length > 0 ? text.slice(0, Math.min(...ends)) : text
}

function createUsage(input: number, output: number): ReportedUsage {
  return {
    buckets: { ...NO_USAGE, input, output },
    costUsd: null,
    asChatUsage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  }
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

/** Characters. */
const MAX_QUOTE = 280

/**
 * The words of a text on one line, without the characters that code, tags and markup are made of. Each omission leaves an
 * ellipsis, so that no command becomes another one.
 */
function stripMarkup(text: string): string {
  const line = text
    .replace(/[`"“”()[\]]+/g, ' ')
    .replace(/[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\s.,;!?'’/%+_-]+|-{2,}|_{2,}/gu, '…')
    .replace(/\s+/g, ' ')
    .trim()
  return line.length <= MAX_QUOTE ? line : `${line.slice(0, MAX_QUOTE - 1).trimEnd()}…`
}

/** The answer after tool calls: their results as text. */
function describeResults(request: ChatRequest): string {
  const lastCall = request.messages.findLastIndex((message) => message.role === 'assistant')
  const results = request.messages
    .slice(lastCall + 1)
    .filter(({ role }) => role === 'tool' || role === 'function')
  const lines = results.map((message) => `- ${stripMarkup(getText(message))}`)
  return `The ${results.length === 1 ? 'tool' : 'tools'} returned:\n\n${lines.join('\n')}`
}

const FILLER = splitTokens(' The sandbox repeats this sentence up to the requested length.')

/** A text of exactly `count` tokens. */
function repeatFiller(count: number): string {
  return Array.from({ length: count }, (_, at) => FILLER[at % FILLER.length])
    .join('')
    .trimStart()
}
