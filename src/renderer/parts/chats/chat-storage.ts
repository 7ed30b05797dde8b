// The playground's chats. They are stored in this browser's localStorage only and never sent anywhere.
import { z } from 'zod'
import { readStored } from '../../kit/stored.ts'
import { DEFAULT_PARAMETERS, Parameters, pickParameters } from './request-fields.ts'

export const ToolUse = z.object({ id: z.string(), name: z.string(), arguments: z.string() })
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
export const ToolResult = z.object({
  /** The column of the answer that made the call. */
  column: z.number(),
  callId: z.string(),
  name: z.string(),
  content: z.string(),
})
export type ToolResult = z.infer<typeof ToolResult>

/** A question and its answers. Exchanges with the same parent are branches: the user edited the question. */
export const Exchange = z.object({
  id: z.string(),
  parent: z.string().nullable(),
  text: z.string(),
  /** Data URLs, in memory only. `imageCount` is stored. */
  images: z.array(z.string()),
  imageCount: z.number(),
  /** The results of the tools that the previous answers called; they come before the text. */
  results: z.array(ToolResult).default([]),
  /** Oldest first. A column shows its last answer unless another one is selected. */
  answers: z.array(Answer),
  /** The id of the selected answer of a column, by the column's index. */
  selected: z.record(z.string(), z.string()),
})
export type Exchange = z.infer<typeof Exchange>

export const Chat = z.object({
  id: z.string(),
  startedAt: z.number(),
  /** One to three, one for each column. */
  models: z.array(z.string()).min(1),
  ...Parameters.shape,
  /** As the user renamed it; null for its first question. */
  title: z.string().nullable().default(null),
  pinned: z.boolean().default(false),
  /** The recorded request that it replays, and notes about parts that are not shown. */
  replayOf: z
    .object({ requestId: z.string(), notes: z.array(z.string()) })
    .nullable()
    .default(null),
  exchanges: z.array(Exchange),
  /** The last exchange of the branch that is shown. */
  tip: z.string().nullable(),
})
export type Chat = z.infer<typeof Chat>
export type ChatSettings = Pick<Chat, 'models'> & Parameters

const STORAGE_KEY = 'tollgate.chats'
const MAX_CHATS = 100

export function loadChats(): Chat[] {
  return (readStored(STORAGE_KEY, z.array(Chat)) ?? []).map(stopStreaming)
}

/** Stores the pinned and the newest chats that have a question. When the storage is full, it tries again with half as many. */
export function saveChats(chats: readonly Chat[], limit = MAX_CHATS): void {
  const asked = chats.filter(({ exchanges }) => exchanges.length > 0)
  const kept = new Set(asked.toSorted((a, b) => Number(b.pinned) - Number(a.pinned)).slice(0, limit))
  const stored = asked.filter((chat) => kept.has(chat))
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(stored.map(removeImages)))
  } catch {
    if (limit > 1) saveChats(chats, Math.floor(limit / 2))
  }
}

/** A single image could fill the storage that all chats share. */
function removeImages(chat: Chat): Chat {
  return { ...chat, exchanges: chat.exchanges.map((exchange) => ({ ...exchange, images: [] })) }
}

/** Answers that were streaming when the window was closed. */
function stopStreaming(chat: Chat): Chat {
  const exchanges = chat.exchanges.map((exchange) => ({
    ...exchange,
    answers: exchange.answers.map((answer) =>
      answer.state === 'streaming' ? { ...answer, state: 'stopped' as const } : answer,
    ),
  }))
  return { ...chat, exchanges }
}

export function newChat(from?: ChatSettings): Chat {
  return {
    id: crypto.randomUUID(),
    startedAt: Date.now(),
    models: from ? [...from.models] : [''],
    ...(from ? pickParameters(from) : DEFAULT_PARAMETERS),
    title: null,
    pinned: false,
    replayOf: null,
    exchanges: [],
    tip: null,
  }
}

export function newExchange(
  parent: string | null,
  text: string,
  images: readonly string[] = [],
  results: readonly ToolResult[] = [],
): Exchange {
  return {
    id: crypto.randomUUID(),
    parent,
    text,
    images: [...images],
    imageCount: images.length,
    results: [...results],
    answers: [],
    selected: {},
  }
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
