// Owns how the playground's conversations are kept in this browser's own storage. They are sent nowhere.
import { z } from 'zod'

export const Turn = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  /** `stopped`: by the user. `failed`: `error` says why. */
  state: z.enum(['streaming', 'done', 'stopped', 'failed']),
  error: z.object({ message: z.string(), code: z.string().nullable(), type: z.string() }).nullable(),
  requestId: z.string().nullable(),
  model: z.string().nullable(),
  tokensIn: z.number().nullable(),
  tokensOut: z.number().nullable(),
  costUsd: z.number().nullable(),
  costNote: z.string().nullable(),
  ms: z.number().nullable(),
})
export type Turn = z.infer<typeof Turn>

export const Chat = z.object({
  id: z.string(),
  startedAt: z.number(),
  model: z.string(),
  system: z.string(),
  /** As typed; blank leaves it to the model. */
  temperature: z.string(),
  maxTokens: z.string(),
  turns: z.array(Turn),
})
export type Chat = z.infer<typeof Chat>

const SLOT = 'tollgate.chats'
const MOST_KEPT = 50

export function readChats(): Chat[] {
  try {
    const kept = z.array(Chat).safeParse(JSON.parse(localStorage.getItem(SLOT) ?? '[]'))
    return kept.success ? kept.data.map(settle) : []
  } catch {
    return []
  }
}

/** Keeps the newest conversations that have a turn. When the storage is full, half as many. */
export function keepChats(chats: readonly Chat[], most = MOST_KEPT): void {
  const kept = chats.filter(({ turns }) => turns.length > 0).slice(0, most)
  try {
    localStorage.setItem(SLOT, JSON.stringify(kept))
  } catch {
    if (most > 1) keepChats(chats, Math.floor(most / 2))
  }
}

/** An answer that was streaming when the window closed was stopped by that. */
function settle(chat: Chat): Chat {
  const turns = chat.turns.map((turn) =>
    turn.state === 'streaming' ? { ...turn, state: 'stopped' as const } : turn,
  )
  return { ...chat, turns }
}

export function newChat(from?: Pick<Chat, 'model' | 'system' | 'temperature' | 'maxTokens'>): Chat {
  return {
    id: crypto.randomUUID(),
    startedAt: Date.now(),
    model: from?.model ?? '',
    system: from?.system ?? '',
    temperature: from?.temperature ?? '',
    maxTokens: from?.maxTokens ?? '',
    turns: [],
  }
}

export function newTurn(role: Turn['role'], text: string): Turn {
  return {
    id: crypto.randomUUID(),
    role,
    text,
    state: role === 'user' ? 'done' : 'streaming',
    error: null,
    requestId: null,
    model: null,
    tokensIn: null,
    tokensOut: null,
    costUsd: null,
    costNote: null,
    ms: null,
  }
}
