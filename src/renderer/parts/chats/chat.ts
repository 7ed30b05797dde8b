// A chat of the playground: questions, each with an answer of every model that was asked, and the versions of both.
import { z } from 'zod'
import { DEFAULT_PARAMETERS, Parameters } from './parameters.ts'

const ToolUse = z.object({ id: z.string(), name: z.string(), arguments: z.string() })
export type ToolUse = z.infer<typeof ToolUse>

export const Answer = z.object({
  id: z.string(),
  /** The index of its column; there is one column per model. */
  column: z.number(),
  text: z.string(),
  reasoning: z.string(),
  toolUses: z.array(ToolUse),
  /** `stopped`: by the user. `failed`: `error` says why. */
  state: z.enum(['streaming', 'done', 'stopped', 'failed']),
  error: z.object({ message: z.string(), code: z.string().nullable(), type: z.string() }).nullable(),
  requestId: z.string().nullable(),
  model: z.string().nullable(),
  tokensIn: z.number().nullable(),
  tokensOut: z.number().nullable(),
  costUsd: z.number().nullable(),
  costNote: z.string().nullable(),
  /** Times as the window measured them, until the record of the request is known. */
  firstTokenMs: z.number().nullable(),
  ms: z.number().nullable(),
  tokensPerSecond: z.number().nullable().default(null),
})
export type Answer = z.infer<typeof Answer>

/** The result of a tool call, as the user typed it: JSON or text. */
const ToolResult = z.object({
  /** The column of the answer that made the call. */
  column: z.number(),
  callId: z.string(),
  name: z.string(),
  content: z.string(),
})
export type ToolResult = z.infer<typeof ToolResult>

/**
 * A question and its answers. Exchanges with the same parent are versions of one: the user edited the question, or asked for
 * another answer.
 */
export const Exchange = z.object({
  id: z.string(),
  parent: z.string().nullable(),
  text: z.string(),
  /** Data URLs and addresses. Data is in memory only: it is blank once the window was closed. */
  images: z.array(z.string()),
  /** The results of the tools that the previous answers called; they come before the text. */
  results: z.array(ToolResult).default([]),
  /** At most one in each column. */
  answers: z.array(Answer),
})
export type Exchange = z.infer<typeof Exchange>

export const Chat = z.object({
  id: z.string(),
  startedAt: z.number(),
  /** One to three, one for each column. A blank one is the default model. */
  models: z.array(z.string()).min(1),
  ...Parameters.shape,
  /** As the user renamed it; null for its first question. */
  title: z.string().nullable().default(null),
  /** The recorded request that it replays, and notes about parts that are not shown. */
  replayOf: z
    .object({ requestId: z.string(), notes: z.array(z.string()) })
    .nullable()
    .default(null),
  exchanges: z.array(Exchange),
  /** The last exchange of those that are shown. */
  tip: z.string().nullable(),
})
export type Chat = z.infer<typeof Chat>

/** `settings`: those of another chat, by default one model with its own defaults. */
export function newChat(
  settings: Pick<Chat, 'models'> & Parameters = { models: [''], ...DEFAULT_PARAMETERS },
): Chat {
  return {
    ...Parameters.parse(settings),
    id: crypto.randomUUID(),
    startedAt: Date.now(),
    models: settings.models,
    title: null,
    replayOf: null,
    exchanges: [],
    tip: null,
  }
}

export function newExchange(parent: string | null, question: Partial<Exchange> = {}): Exchange {
  return { text: '', images: [], results: [], answers: [], ...question, id: crypto.randomUUID(), parent }
}

export function newAnswer(column: number, model: string): Answer {
  return {
    id: crypto.randomUUID(),
    column,
    text: '',
    reasoning: '',
    toolUses: [],
    state: 'streaming',
    error: null,
    requestId: null,
    model,
    tokensIn: null,
    tokensOut: null,
    costUsd: null,
    costNote: null,
    firstTokenMs: null,
    ms: null,
    tokensPerSecond: null,
  }
}

/** The exchanges from the first question to `tip`, by default those that are shown. */
export function findPath(chat: Chat, tip = chat.tip): Exchange[] {
  const last = chat.exchanges.find(({ id }) => id === tip)
  return last ? [...findPath(chat, last.parent), last] : []
}

/** An exchange and its other versions, oldest first. */
export function listVersions({ exchanges }: Chat, { parent }: Exchange): Exchange[] {
  return exchanges.filter((exchange) => exchange.parent === parent)
}

/** The last exchange after `id`, by the newest version of each. */
export function findTip(chat: Chat, id: string): string {
  const next = chat.exchanges.findLast(({ parent }) => parent === id)
  return next ? findTip(chat, next.id) : id
}

export function getAnswer({ answers }: Exchange, column: number): Answer | undefined {
  return answers.find((answer) => answer.column === column)
}

/** The tool calls of an answer that wait for their results. */
export function listOpenCalls({ state, toolUses }: Answer): readonly ToolUse[] {
  return state === 'done' ? toolUses : []
}

/** Its name, or else the first line of the first question. */
export function getTitle({ title, exchanges }: Chat): string {
  if (title !== null) return title
  const first = exchanges.find(({ text, images }) => text.trim() !== '' || images.length > 0)
  if (!first) return 'Untitled'
  return first.text.trim().split('\n')[0]?.slice(0, 80) || 'Image'
}
