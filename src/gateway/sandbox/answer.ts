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
import { createProse, createProseOfLength, describeResults, stripMarkup } from './prose.ts'
import { countPrompt, countTokens, getText, splitTokens } from './tokens.ts'
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

/** The input of an answer. */
interface Prompt {
  request: ChatRequest
  /** The last user message without its commands. */
  question: string
  commands: SandboxCommands
  /** The most tokens of each choice. */
  limit: number
}

/**
 * The same for the same request. `maxOutputTokens`: the limit for each choice, where the request has none or a higher one.
 */
export function createAnswer(request: ChatRequest, maxOutputTokens: number): SandboxAnswer {
  const { commands, rest } = readCommands(getText(request.messages.findLast(({ role }) => role === 'user')))
  const limit = Math.min(outputLimit(request) ?? maxOutputTokens, maxOutputTokens)
  const prompt: Prompt = { request, question: rest, commands, limit }
  const choices = Array.from({ length: request.n ?? 1 }, () => createChoice(prompt))
  const output = choices.reduce(
    (total, { tokens, toolCall }) => total + tokens.length + (toolCall ? countCall(toolCall) : 0),
    0,
  )
  return { commands, choices, usage: commands.noUsage ? null : createUsage(countPrompt(request), output) }
}

function createChoice(prompt: Prompt): SandboxChoice {
  const { request, commands, limit } = prompt
  const isTextCommanded = commands.echo !== null || commands.tokens !== null
  const toolCall = isTextCommanded ? null : createToolCall(request, commands.tools)
  // A call that the limit would cut is useless: then the answer is text, cut at the limit.
  if (toolCall && countCall(toolCall) <= limit) return { tokens: [], toolCall, finishReason: 'tool_calls' }
  const text = cutAtStop(createText(prompt), request.stop)
  const tokens = splitTokens(text)
  if (tokens.length > limit) return { tokens: tokens.slice(0, limit), toolCall: null, finishReason: 'length' }
  return { tokens, toolCall: null, finishReason: commands.filter ? 'content_filter' : 'stop' }
}

function createText({ request, question, commands }: Prompt): string {
  if (commands.echo !== null) return commands.echo
  if (commands.tokens !== null) return createProseOfLength(commands.tokens)
  const json = createJson(request, question)
  if (json !== null) return json
  const last = request.messages.at(-1)?.role
  if (last === 'tool' || last === 'function') return describeResults(request)
  return createProse({ request, question, commanded: commands.tools.length > 0 })
}

function createJson(request: ChatRequest, question: string): string | null {
  const format = request.response_format
  if (format?.type === 'json_schema') {
    const { schema } = format.json_schema
    return JSON.stringify(createInstance(isObject(schema) ? schema : { type: 'object' }))
  }
  if (format?.type !== 'json_object') return null
  return JSON.stringify({ answer: stripMarkup(question, 280), source: 'sandbox' })
}

/** The text before the first stop sequence. */
function cutAtStop(text: string, stop: ChatRequest['stop']): string {
  const sequences = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((sequence) => sequence !== '')
  const ends = sequences.map((sequence) => text.indexOf(sequence)).filter((at) => at >= 0)
  return ends.length > 0 ? text.slice(0, Math.min(...ends)) : text
}

function countCall(call: ToolCall): number {
  if (call.function) return countTokens(call.function.name) + countTokens(call.function.arguments)
  const custom = isObject(call.custom) ? call.custom : {}
  return countTokens(`${String(custom.name ?? '')} ${String(custom.input ?? '')}`)
}

function createUsage(input: number, output: number): ReportedUsage {
  return {
    buckets: { ...NO_USAGE, input, output },
    costUsd: null,
    asChatUsage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  }
}
