// Owns what the sandbox answers: choices, finish reasons and exact usage, as a pure function of the request.
// Knows nothing of streams or time.
import { type KnownChatRequest as ChatRequest, outputLimit, type ToolCall } from '../../shared/chat.ts'
import type { FinishReason } from '../../shared/chat-completion.ts'
import { isObject } from '../formats/json.ts'
import type { ReportedUsage } from '../formats/token-usage.ts'
import { readCommands, type SandboxCommands } from './commands.ts'
import { instanceOf } from './json-value.ts'
import { bareWords, hashOf, proseFor, proseForResults, proseOfLength, topicsOf } from './prose.ts'
import { countPrompt, countTokens, textOf, tokensOf } from './tokens.ts'
import { toolCallFor } from './tools.ts'

export interface SandboxChoice {
  /** The answer in tokens; empty when a tool is called. */
  tokens: string[]
  toolCall: ToolCall | null
  finishReason: FinishReason
}

export interface SandboxReply {
  commands: SandboxCommands
  choices: SandboxChoice[]
  usage: ReportedUsage | null
}

function jsonFor(request: ChatRequest, asked: string): string | null {
  const format = request.response_format
  if (format?.type === 'json_schema') {
    const { schema } = format.json_schema
    return JSON.stringify(instanceOf(isObject(schema) ? schema : { type: 'object' }))
  }
  if (format?.type !== 'json_object') return null
  return JSON.stringify({ answer: bareWords(asked, 280), topics: topicsOf(asked, 5), source: 'sandbox' })
}

function textFor(request: ChatRequest, asked: string, commands: SandboxCommands, variant: number): string {
  if (commands.echo !== null) return commands.echo
  if (commands.tokens !== null) return proseOfLength(commands.tokens, variant)
  const json = jsonFor(request, asked)
  if (json !== null) return json
  const last = request.messages.at(-1)?.role
  if (last === 'tool' || last === 'function') return proseForResults(request)
  return proseFor(request, asked, variant, commands.tools.length > 0)
}

/** The text before the first stop sequence. */
function stopped(text: string, stop: ChatRequest['stop']): string {
  const sequences = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((sequence) => sequence !== '')
  const ends = sequences.map((sequence) => text.indexOf(sequence)).filter((at) => at >= 0)
  return ends.length > 0 ? text.slice(0, Math.min(...ends)) : text
}

function limited(text: string, limit: number, finishReason: FinishReason): SandboxChoice {
  const tokens = tokensOf(text)
  if (tokens.length <= limit) return { tokens, toolCall: null, finishReason }
  return { tokens: tokens.slice(0, limit), toolCall: null, finishReason: 'length' }
}

function countCall(call: ToolCall): number {
  if (call.function) return countTokens(call.function.name) + countTokens(call.function.arguments)
  const custom = isObject(call.custom) ? call.custom : {}
  return countTokens(`${String(custom.name ?? '')} ${String(custom.input ?? '')}`)
}

function choiceFor(
  request: ChatRequest,
  asked: string,
  commands: SandboxCommands,
  index: number,
  limit: number,
): SandboxChoice {
  const free = commands.echo === null && commands.tokens === null
  const toolCall = free ? toolCallFor(request, commands.tools) : null
  // Half a call is no call: where the limit has no room for all of it, the answer is words, cut at the limit.
  if (toolCall && countCall(toolCall) <= limit) return { tokens: [], toolCall, finishReason: 'tool_calls' }
  const variant = (hashOf(`${request.seed ?? ''} ${asked}`) >>> 4) + index
  const text = stopped(textFor(request, asked, commands, variant), request.stop)
  return limited(text, limit, commands.filter ? 'content_filter' : 'stop')
}

function usageOf(prompt: number, completion: number): ReportedUsage {
  return {
    buckets: {
      input: prompt,
      cacheRead: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      audioInput: 0,
      output: completion,
      audioOutput: 0,
      reasoning: 0,
      cacheReadAudio: 0,
    },
    costUsd: null,
    asChatUsage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  }
}

/** `maxOutputTokens`: the limit for each choice, where the request gives none or a higher one. */
export function sandboxReply(request: ChatRequest, maxOutputTokens: number): SandboxReply {
  const said = textOf(request.messages.findLast(({ role }) => role === 'user'))
  const { commands, rest: asked } = readCommands(said)
  const limit = Math.min(outputLimit(request) ?? maxOutputTokens, maxOutputTokens)
  const choices = Array.from({ length: request.n ?? 1 }, (_, index) =>
    choiceFor(request, asked, commands, index, limit),
  )
  const completion = choices.reduce(
    (total, { tokens, toolCall }) => total + tokens.length + (toolCall ? countCall(toolCall) : 0),
    0,
  )
  return { commands, choices, usage: commands.noUsage ? null : usageOf(countPrompt(request), completion) }
}
