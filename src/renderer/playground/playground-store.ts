// Owns the playground's conversations and the answers that are streaming. Knows nothing of markdown or layout.
import { create } from 'zustand'
import { toApiError } from '../api-error.ts'
import { streamChat } from '../chat-stream.ts'
import { useModels } from '../stores/models.ts'
import { applyPart, interruptAnswer, settled } from './answer-stream.ts'
import { buildChatRequest } from './chat-request.ts'
import {
  type Answer,
  type Chat,
  type Exchange,
  loadChats,
  newAnswer,
  newChat,
  newExchange,
  saveChats,
} from './chat-storage.ts'
import { findPath, findTip, isContinuation, listTargetColumns, resolveModel } from './chat-tree.ts'
import { currentChat, type PlaygroundStore } from './playground-state.ts'
import { chooseStartingModels } from './starting-models.ts'

const kept = loadChats()
// The last conversation goes on where it was.
const first = kept[0] ?? newChat()
const running = new Map<string, AbortController>()

export const usePlayground = create<PlaygroundStore>()((set, get) => {
  const changeChat = (id: string, part: (chat: Chat) => Partial<Chat>) =>
    set({ chats: get().chats.map((chat) => (chat.id === id ? { ...chat, ...part(chat) } : chat)) })
  const changeExchange = (chatId: string, id: string, part: (exchange: Exchange) => Partial<Exchange>) =>
    changeChat(chatId, ({ exchanges }) => ({
      exchanges: exchanges.map((exchange) =>
        exchange.id === id ? { ...exchange, ...part(exchange) } : exchange,
      ),
    }))

  /** Streams one answer to its end. Never throws: what goes wrong is told by the answer. */
  const answer = async (chatId: string, exchangeId: string, column: number, model: string): Promise<void> => {
    const chat = get().chats.find(({ id }) => id === chatId)
    if (!chat) return
    const fresh = newAnswer(column, model)
    const change = (part: (answer: Answer) => Partial<Answer>) =>
      changeExchange(chatId, exchangeId, ({ answers }) => ({
        answers: answers.map((one) => (one.id === fresh.id ? { ...one, ...part(one) } : one)),
      }))
    changeExchange(chatId, exchangeId, ({ answers, picked }) => ({
      answers: [...answers, fresh],
      picked: { ...picked, [column]: fresh.id },
    }))
    const control = new AbortController()
    running.set(fresh.id, control)
    set({ streaming: true })
    const startedAt = performance.now()
    const since = () => performance.now() - startedAt
    try {
      for await (const part of streamChat(
        buildChatRequest(chat, exchangeId, column, model),
        control.signal,
      )) {
        change((now) => applyPart(now, part, since()))
      }
    } catch (thrown) {
      const error = toApiError(thrown)
      change((now) => interruptAnswer(now, error, control.signal.aborted, since()))
    } finally {
      running.delete(fresh.id)
      set({ streaming: running.size > 0 })
      saveChats(get().chats)
    }
  }

  /** The way in sight must not go on from an answer that stands no more: the results sent to it are another's. */
  const leaveOldResults = (exchangeId: string) =>
    changeChat(get().currentId, (chat) => {
      const path = findPath(chat)
      const at = path.findIndex(({ id }) => id === exchangeId)
      const next = path[at + 1]
      return at < 0 || (next && isContinuation(chat, next)) ? {} : { tip: findTip(chat, exchangeId) }
    })

  return {
    chats: [first, ...kept.slice(1)],
    currentId: first.id,
    streaming: false,
    change: (part) => changeChat(get().currentId, () => part),
    startChat() {
      get().stop()
      const before = currentChat(get())
      const fresh = newChat(
        before && { ...before, models: chooseStartingModels(before.models, useModels.getState().models) },
      )
      const others = get().chats.filter(({ exchanges }) => exchanges.length > 0)
      set({ chats: [fresh, ...others], currentId: fresh.id })
    },
    addChat(chat) {
      get().stop()
      const others = get().chats.filter(({ exchanges }) => exchanges.length > 0)
      set({ chats: [chat, ...others], currentId: chat.id })
      saveChats(get().chats)
    },
    openChat(id) {
      get().stop()
      set({ currentId: id })
    },
    removeChat(id) {
      if (id === get().currentId) get().startChat()
      set({ chats: get().chats.filter((chat) => chat.id !== id) })
      saveChats(get().chats)
    },
    async send(text, images = [], parent, results = []) {
      const chat = currentChat(get())
      if (running.size > 0 || !chat) return
      const exchange = newExchange(parent === undefined ? chat.tip : parent, text, images, results)
      changeChat(chat.id, ({ exchanges }) => ({ exchanges: [...exchanges, exchange], tip: exchange.id }))
      await get().ask(exchange.id)
    },
    async ask(exchangeId, models = []) {
      const chat = currentChat(get())
      const exchange = chat?.exchanges.find(({ id }) => id === exchangeId)
      if (running.size > 0 || !chat || !exchange) return
      await Promise.all(
        listTargetColumns(chat, exchange).map((column) =>
          answer(chat.id, exchangeId, column, models[column] ?? resolveModel(chat, exchange, column)),
        ),
      )
    },
    async regenerate(exchangeId, column, model) {
      const chat = currentChat(get())
      const exchange = chat?.exchanges.find(({ id }) => id === exchangeId)
      if (running.size > 0 || !chat || !exchange) return
      const asked = answer(chat.id, exchangeId, column, model ?? resolveModel(chat, exchange, column))
      leaveOldResults(exchangeId)
      await asked
    },
    pick(exchangeId, answerId) {
      changeExchange(get().currentId, exchangeId, ({ answers, picked }) => {
        const column = answers.find(({ id }) => id === answerId)?.column
        return column === undefined ? {} : { picked: { ...picked, [column]: answerId } }
      })
      leaveOldResults(exchangeId)
    },
    showBranch(exchangeId) {
      changeChat(get().currentId, (chat) => ({ tip: findTip(chat, exchangeId) }))
    },
    stop() {
      for (const control of running.values()) control.abort()
    },
    settle(record) {
      if (record.costStatus === 'pending') return
      for (const chat of get().chats) {
        for (const exchange of chat.exchanges) {
          if (!exchange.answers.some(({ requestId }) => requestId === record.id)) continue
          changeExchange(chat.id, exchange.id, ({ answers }) => ({
            answers: answers.map((one) =>
              one.requestId === record.id ? { ...one, ...settled(record) } : one,
            ),
          }))
          saveChats(get().chats)
          return
        }
      }
    },
  }
})
