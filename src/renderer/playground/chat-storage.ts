// Owns how the playground's conversations are kept in this browser's own storage. They are sent nowhere.
import { z } from 'zod'

export const ToolUse = z.object({ id: z.string(), name: z.string(), arguments: z.string() })
export type ToolUse = z.infer<typeof ToolUse>

export const Answer = z.object({
  id: z.string(),
  /** The column it stands in, one per model that is asked. */
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
  firstTokenMs: z.number().nullable(),
  ms: z.number().nullable(),
})
export type Answer = z.infer<typeof Answer>

/** What a tool gave back, as the user typed it: JSON or text. */
export const ToolResult = z.object({
  /** Of the answer that called it. */
  column: z.number(),
  callId: z.string(),
  name: z.string(),
  content: z.string(),
})
export type ToolResult = z.infer<typeof ToolResult>

/** A question and its answers. Questions with the same parent are branches: one of them was edited. */
export const Exchange = z.object({
  id: z.string(),
  parent: z.string().nullable(),
  text: z.string(),
  /** Data URLs. Kept as long as the window is open; then only their number is. */
  images: z.array(z.string()),
  imageCount: z.number(),
  /** Of the tools that the answers before it called; they come before its text. */
  results: z.array(ToolResult).default([]),
  /** Oldest first; of a column with several, the last one stands unless another is picked. */
  answers: z.array(Answer),
  /** The answer that was picked in a column, by the column's number. */
  picked: z.record(z.string(), z.string()),
})
export type Exchange = z.infer<typeof Exchange>

export const Chat = z.object({
  id: z.string(),
  startedAt: z.number(),
  /** One to three, one per column. */
  models: z.array(z.string()).min(1),
  system: z.string(),
  /** As typed; blank leaves it to the model. */
  temperature: z.string(),
  maxTokens: z.string(),
  /** As typed: a JSON array, or blank. */
  tools: z.string(),
  /** As typed: a JSON object of further request fields, or blank. */
  extra: z.string().default(''),
  /** The recorded request it was made from, and what of that could not be taken over. */
  replayOf: z
    .object({ requestId: z.string(), notes: z.array(z.string()) })
    .nullable()
    .default(null),
  exchanges: z.array(Exchange),
  /** The last exchange of the branch in sight. */
  tip: z.string().nullable(),
})
export type Chat = z.infer<typeof Chat>
export type ChatSettings = Pick<Chat, 'models' | 'system' | 'temperature' | 'maxTokens' | 'tools' | 'extra'>

const SLOT = 'tollgate.chats'
const MAX_CHATS = 100

export function loadChats(): Chat[] {
  try {
    const kept = z.array(Chat).safeParse(JSON.parse(localStorage.getItem(SLOT) ?? '[]'))
    return kept.success ? kept.data.map(settle) : []
  } catch {
    return []
  }
}

/** Keeps the newest conversations that have a question. When the storage is full, half as many. */
export function saveChats(chats: readonly Chat[], most = MAX_CHATS): void {
  const kept = chats.filter(({ exchanges }) => exchanges.length > 0).slice(0, most)
  try {
    localStorage.setItem(SLOT, JSON.stringify(kept.map(withoutImages)))
  } catch {
    if (most > 1) saveChats(chats, Math.floor(most / 2))
  }
}

/** One image would fill the storage that all conversations share. */
function withoutImages(chat: Chat): Chat {
  return { ...chat, exchanges: chat.exchanges.map((exchange) => ({ ...exchange, images: [] })) }
}

/** An answer that was streaming when the window closed was stopped by that. */
function settle(chat: Chat): Chat {
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
    system: from?.system ?? '',
    temperature: from?.temperature ?? '',
    maxTokens: from?.maxTokens ?? '',
    tools: from?.tools ?? '',
    extra: from?.extra ?? '',
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
    picked: {},
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
  }
}
