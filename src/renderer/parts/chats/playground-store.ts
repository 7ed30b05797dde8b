import { create } from 'zustand'
import type { ModelRecord } from '../../../shared/api/models.ts'
import { streamChat } from '../../data/chat-stream.ts'
import { selectChatModels } from '../../data/hooks.ts'
import { onEventsApplied } from '../../data/live-queries.ts'
import { queries } from '../../data/queries.ts'
import { queryClient } from '../../data/query-client.ts'
import { toApiError } from '../../kit/api-error.ts'
import { applyParts, createPause, interruptAnswer, PartBatch, readRecord } from './answer-stream.ts'
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
import { findTip, listTargetColumns, resetTipIfStale, resolveModel } from './chat-tree.ts'
import { currentChat, type PlaygroundStore } from './playground-state.ts'

const stored = loadChats()
// The window opens with the most recently used chat.
const first = stored[0] ?? newChat()
/** The running answers, by their ids. */
const running = new Map<string, { column: number; control: AbortController }>()

export const usePlayground = create<PlaygroundStore>()(() => ({
  chats: [first, ...stored.slice(1)],
  currentId: first.id,
  streaming: false,
  sentId: null,
  change: (part) => changeChat(get().currentId, () => part),
  startChat(model) {
    get().stop()
    const before = currentChat(get())
    const created = newChat(
      before && {
        ...before,
        models: chooseStartingModels(
          before.models,
          selectChatModels(queryClient.getQueryData(queries.models.queryKey) ?? []),
        ),
      },
    )
    const others = get().chats.filter(({ exchanges }) => exchanges.length > 0)
    if (model !== undefined) created.models = [model]
    set({ chats: [created, ...others], currentId: created.id })
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
    const { chats, currentId } = get()
    const removed = chats.find((chat) => chat.id === id)
    if (id === currentId) get().startChat()
    set({ chats: get().chats.filter((chat) => chat.id !== id) })
    saveChats(get().chats)
    return () => {
      if (!removed || get().chats.some((chat) => chat.id === id)) return
      set({ chats: [...get().chats, removed].toSorted((a, b) => b.startedAt - a.startedAt) })
      if (id === currentId) get().openChat(id)
      saveChats(get().chats)
    }
  },
  changeChat(id, part) {
    changeChat(id, () => part)
    saveChats(get().chats)
  },
  async send(text, images = [], parent, results = []) {
    const chat = currentChat(get())
    if (running.size > 0 || !chat) return
    const exchange = newExchange(parent === undefined ? chat.tip : parent, text, images, results)
    changeChat(chat.id, ({ exchanges }) => ({ exchanges: [...exchanges, exchange], tip: exchange.id }))
    set({ sentId: exchange.id })
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
    const answered = answer(chat.id, exchangeId, column, model ?? resolveModel(chat, exchange, column))
    leaveStaleBranch(exchangeId)
    await answered
  },
  selectAnswer(exchangeId, answerId) {
    changeExchange(get().currentId, exchangeId, ({ answers, selected }) => {
      const column = answers.find(({ id }) => id === answerId)?.column
      return column === undefined ? {} : { selected: { ...selected, [column]: answerId } }
    })
    leaveStaleBranch(exchangeId)
  },
  showBranch(exchangeId) {
    changeChat(get().currentId, (chat) => ({ tip: findTip(chat, exchangeId) }))
  },
  stop(only) {
    for (const { column, control } of running.values())
      if (only === undefined || only === column) control.abort()
  },
  settle(record) {
    if (record.costStatus === 'pending') return
    for (const chat of get().chats) {
      for (const exchange of chat.exchanges) {
        if (!exchange.answers.some(({ requestId }) => requestId === record.id)) continue
        changeExchange(chat.id, exchange.id, ({ answers }) => ({
          answers: answers.map((one) =>
            one.requestId === record.id ? { ...one, ...readRecord(record) } : one,
          ),
        }))
        saveChats(get().chats)
        return
      }
    }
  },
}))

const { setState: set, getState: get } = usePlayground

function changeChat(id: string, part: (chat: Chat) => Partial<Chat>): void {
  set({ chats: get().chats.map((chat) => (chat.id === id ? { ...chat, ...part(chat) } : chat)) })
}

function changeExchange(chatId: string, id: string, part: (exchange: Exchange) => Partial<Exchange>): void {
  changeChat(chatId, ({ exchanges }) => ({
    exchanges: exchanges.map((exchange) =>
      exchange.id === id ? { ...exchange, ...part(exchange) } : exchange,
    ),
  }))
}

/** Streams one answer. Never throws: errors are stored in the answer. */
async function answer(chatId: string, exchangeId: string, column: number, model: string): Promise<void> {
  const chat = get().chats.find(({ id }) => id === chatId)
  if (!chat) return
  const created = newAnswer(column, model)
  const change = (part: (answer: Answer) => Partial<Answer>) =>
    changeExchange(chatId, exchangeId, ({ answers }) => ({
      answers: answers.map((one) => (one.id === created.id ? { ...one, ...part(one) } : one)),
    }))
  changeExchange(chatId, exchangeId, ({ answers, selected }) => ({
    answers: [...answers, created],
    selected: { ...selected, [column]: created.id },
  }))
  const control = new AbortController()
  running.set(created.id, { column, control })
  set({ streaming: true })
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const batch = new PartBatch((parts) => change((now) => applyParts(now, parts)))
  const pause = createPause()
  try {
    for await (const part of streamChat(buildChatRequest(chat, exchangeId, column, model), control.signal)) {
      batch.add({ part, ms: elapsed() })
      await pause()
    }
    batch.flush()
  } catch (thrown) {
    const error = toApiError(thrown)
    batch.flush()
    change((now) => interruptAnswer(now, error, control.signal.aborted, elapsed()))
  } finally {
    running.delete(created.id)
    set({ streaming: running.size > 0 })
    saveChats(get().chats)
  }
}

function leaveStaleBranch(exchangeId: string): void {
  changeChat(get().currentId, (chat) => ({ tip: resetTipIfStale(chat, exchangeId) }))
}

onEventsApplied((events) => {
  for (const event of events) if (event.type === 'request') usePlayground.getState().settle(event.request)
})

/**
 * The models of a new chat: those of the previous one. If that used only the sandbox and a provider now serves a model,
 * it is the default model ('') instead.
 */
export function chooseStartingModels(
  before: readonly string[],
  served: readonly Pick<ModelRecord, 'id' | 'provider'>[],
): string[] {
  const isSandbox = (id: string) =>
    served.some(
      (model) => model.provider === 'sandbox' && (model.id === id || `${model.provider}/${model.id}` === id),
    )
  const hasOthers = served.some(({ provider }) => provider !== 'sandbox')
  return hasOthers && before.every(isSandbox) ? [''] : [...before]
}
