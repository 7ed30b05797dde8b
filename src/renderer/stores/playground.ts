// Owns the playground's conversations and the one answer that is streaming. Knows nothing of markdown or layout.
import { create } from 'zustand'
import type { RequestRecord } from '../../shared/requests.ts'
import { toApiError } from '../api-error.ts'
import { type ChatAsk, streamChat } from '../chat-stream.ts'
import { parseCount } from '../usd-input.ts'
import { type Chat, keepChats, newChat, newTurn, readChats, type Turn } from './chats-kept.ts'

interface PlaygroundStore {
  /** The newest first; the first one is never missing. */
  chats: Chat[]
  currentId: string
  streaming: boolean
  change(part: Partial<Pick<Chat, 'model' | 'system' | 'temperature' | 'maxTokens'>>): void
  startChat(): void
  openChat(id: string): void
  removeChat(id: string): void
  send(text: string): Promise<void>
  stop(): void
  /** Takes the settled cost of an answer from its record: of one that was stopped, nothing else tells it. */
  settle(record: RequestRecord): void
}

const kept = readChats()
// The last conversation goes on where it was.
const first = kept[0] ?? newChat()
let running: AbortController | null = null

export const usePlayground = create<PlaygroundStore>()((set, get) => {
  const changeChat = (id: string, part: (chat: Chat) => Partial<Chat>) =>
    set({ chats: get().chats.map((chat) => (chat.id === id ? { ...chat, ...part(chat) } : chat)) })
  const changeTurn = (chatId: string, turnId: string, part: (turn: Turn) => Partial<Turn>) =>
    changeChat(chatId, ({ turns }) => ({
      turns: turns.map((turn) => (turn.id === turnId ? { ...turn, ...part(turn) } : turn)),
    }))

  return {
    chats: [first, ...kept.slice(1)],
    currentId: first.id,
    streaming: false,
    change: (part) => changeChat(get().currentId, () => part),
    startChat() {
      get().stop()
      const fresh = newChat(currentChat(get()))
      set({ chats: [fresh, ...get().chats.filter(({ turns }) => turns.length > 0)], currentId: fresh.id })
    },
    openChat(id) {
      get().stop()
      set({ currentId: id })
    },
    removeChat(id) {
      if (id === get().currentId) get().startChat()
      set({ chats: get().chats.filter((chat) => chat.id !== id) })
      keepChats(get().chats)
    },
    async send(text) {
      const chat = currentChat(get())
      if (running || !chat) return
      const ask = newTurn('user', text)
      const answer = newTurn('assistant', '')
      changeChat(chat.id, ({ turns }) => ({ turns: [...turns, ask, answer] }))
      const control = new AbortController()
      running = control
      set({ streaming: true })
      const startedAt = performance.now()
      try {
        for await (const part of streamChat(askOf(chat, text), control.signal)) {
          changeTurn(chat.id, answer.id, (turn) => {
            if (part.type === 'started') return { requestId: part.requestId, model: part.model }
            if (part.type === 'text') return { text: turn.text + part.text }
            if (part.type === 'model') return { model: part.model }
            if (part.type === 'usage') {
              return { tokensIn: part.tokensIn, tokensOut: part.tokensOut, costUsd: part.costUsd }
            }
            if (part.type === 'finished') return { state: 'done' }
            return {}
          })
        }
      } catch (thrown) {
        const { message, code, type, requestId } = toApiError(thrown)
        changeTurn(chat.id, answer.id, (turn) =>
          control.signal.aborted
            ? { state: 'stopped' }
            : { state: 'failed', error: { message, code, type }, requestId: turn.requestId ?? requestId },
        )
      } finally {
        running = null
        set({ streaming: false })
        changeTurn(chat.id, answer.id, ({ ms }) => ({ ms: ms ?? performance.now() - startedAt }))
        keepChats(get().chats)
      }
    },
    stop() {
      running?.abort()
    },
    settle(record) {
      if (record.costStatus === 'pending') return
      const chat = get().chats.find(({ turns }) => turns.some(({ requestId }) => requestId === record.id))
      const turn = chat?.turns.find(({ requestId }) => requestId === record.id)
      if (!chat || !turn) return
      changeTurn(chat.id, turn.id, () => ({
        tokensIn: record.tokensIn,
        tokensOut: record.tokensOut,
        costUsd: record.costUsd,
        costNote: record.costStatus === 'exact' || record.costStatus === 'free' ? null : record.costStatus,
      }))
      keepChats(get().chats)
    },
  }
})

export function currentChat({
  chats,
  currentId,
}: Pick<PlaygroundStore, 'chats' | 'currentId'>): Chat | undefined {
  return chats.find(({ id }) => id === currentId)
}

/** The conversation so far and the new message. Turns that failed or said nothing are left out with their question. */
function askOf(chat: Chat, text: string): ChatAsk {
  const messages: ChatAsk['messages'] = chat.system.trim() ? [{ role: 'system', content: chat.system }] : []
  chat.turns.forEach((turn, index) => {
    const answer = chat.turns[index + 1]
    if (turn.role === 'user' && answer?.role === 'assistant' && answer.text && answer.state !== 'failed') {
      messages.push({ role: 'user', content: turn.text }, { role: 'assistant', content: answer.text })
    }
  })
  messages.push({ role: 'user', content: text })
  const temperature = chat.temperature.trim() === '' ? Number.NaN : Number(chat.temperature)
  const most = parseCount(chat.maxTokens)
  return {
    model: chat.model,
    messages,
    ...(temperature >= 0 && temperature <= 2 ? { temperature } : {}),
    ...(most.ok && most.count !== null ? { maxTokens: most.count } : {}),
  }
}
