import { create } from 'zustand'
import { type ChatInput, streamChat } from '../../data/chat-stream.ts'
import { selectChatModels } from '../../data/hooks.ts'
import { onEventsApplied } from '../../data/live-queries.ts'
import { queries } from '../../data/queries.ts'
import { queryClient } from '../../data/query-client.ts'
import { toApiError } from '../../kit/api-error.ts'
import { applyParts, createBatch, interruptAnswer, readRecord } from './answer-stream.ts'
import {
  type Answer,
  type Chat,
  type Exchange,
  findPath,
  findTip,
  newAnswer,
  newChat,
  newExchange,
} from './chat.ts'
import { chooseModels } from './chat-models.ts'
import { buildChatRequest } from './chat-request.ts'
import { loadChats, saveChats } from './chat-storage.ts'

export interface PlaygroundStore {
  /** Newest first, always including the current one. */
  chats: Chat[]
  currentId: string
  streaming: boolean
  /** The last exchange that was sent; the conversation is scrolled to it. */
  sentId: string | null
  /** Changes the current chat. */
  change(part: Partial<Chat>): void
  /** Starts a chat with the parameters of the current one. `model`: the only one that answers; by default, those of the current. */
  startChat(model?: string): void
  /** Adds a chat, such as a replayed request, and opens it. */
  addChat(chat: Chat): void
  openChat(id: string): void
  /** Returns a function that puts it back. */
  removeChat(id: string): () => void
  /** `title`: blank for the first question. */
  renameChat(id: string, title: string): void
  /** Sends a question, or results of tools, after the exchange `parent`: by default the last one that is shown. */
  send(question: Partial<Exchange>, parent?: string | null): Promise<void>
  /** Requests the answers of an exchange that has none. */
  ask(exchangeId: string): Promise<void>
  /** Requests another answer, in a version of its own. */
  regenerate(exchangeId: string, column: number): Promise<void>
  /** Shows a version of an exchange, and what follows it. */
  showVersion(exchangeId: string): void
  /** Ends the running answers, or only that of a column. */
  stop(column?: number): void
}

const stored = loadChats()
// The window opens with the most recently used chat.
const first = stored[0] ?? newChat()
/** Ends the running answer of each column. */
const running = new Map<number, AbortController>()

export const usePlayground = create<PlaygroundStore>()((set, get) => ({
  chats: [first, ...stored.slice(1)],
  currentId: first.id,
  streaming: false,
  sentId: null,
  change: (part) => changeChat(get().currentId, () => part),
  startChat(model) {
    const created = newChat(currentChat(get()))
    get().addChat(model === undefined ? created : { ...created, models: [model] })
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
  renameChat(id, title) {
    changeChat(id, () => ({ title: title.trim() || null }))
    saveChats(get().chats)
  },
  async send(question, parent) {
    const chat = currentChat(get())
    if (running.size > 0 || !chat) return
    const exchange = newExchange(parent === undefined ? chat.tip : parent, question)
    addExchange(chat.id, exchange)
    set({ sentId: exchange.id })
    await get().ask(exchange.id)
  },
  async ask(exchangeId) {
    const chat = currentChat(get())
    const exchange = chat?.exchanges.find(({ id }) => id === exchangeId)
    if (running.size > 0 || !chat || !exchange) return
    const columns =
      exchange.results.length > 0
        ? [...new Set(exchange.results.map(({ column }) => column))].toSorted()
        : [...chat.models.keys()]
    await answer(chat.id, exchange, columns)
  },
  async regenerate(exchangeId, column) {
    const chat = currentChat(get())
    const exchange = chat?.exchanges.find(({ id }) => id === exchangeId)
    if (running.size > 0 || !chat || !exchange) return
    const answers = exchange.answers.filter((other) => other.column !== column)
    const version = newExchange(exchange.parent, { ...exchange, answers })
    addExchange(chat.id, version)
    await answer(chat.id, version, [column])
  },
  showVersion: (exchangeId) => changeChat(get().currentId, (chat) => ({ tip: findTip(chat, exchangeId) })),
  stop(column) {
    for (const [at, control] of running) if (column === undefined || at === column) control.abort()
  },
}))

const { setState: set, getState: get } = usePlayground

export function currentChat({
  chats,
  currentId,
}: Pick<PlaygroundStore, 'chats' | 'currentId'>): Chat | undefined {
  return chats.find(({ id }) => id === currentId)
}

function changeChat(id: string, part: (chat: Chat) => Partial<Chat>): void {
  set({ chats: get().chats.map((chat) => (chat.id === id ? { ...chat, ...part(chat) } : chat)) })
}

/** Adds an exchange, and shows it as the last one. */
function addExchange(chatId: string, exchange: Exchange): void {
  changeChat(chatId, ({ exchanges }) => ({ exchanges: [...exchanges, exchange], tip: exchange.id }))
}

/**
 * Changes an answer wherever it is: versions of an exchange share some. What has none stays the same object. Returns whether
 * there was any.
 */
function changeAnswers(
  isMeant: (answer: Answer) => boolean,
  change: (answer: Answer) => Partial<Answer>,
): boolean {
  const { chats } = get()
  const hasAnswer = (exchange: Exchange) => exchange.answers.some(isMeant)
  if (!chats.some(({ exchanges }) => exchanges.some(hasAnswer))) return false
  const changeOne = (answer: Answer) => (isMeant(answer) ? { ...answer, ...change(answer) } : answer)
  const changeExchange = (exchange: Exchange) =>
    hasAnswer(exchange) ? { ...exchange, answers: exchange.answers.map(changeOne) } : exchange
  const changeIn = (chat: Chat) =>
    chat.exchanges.some(hasAnswer) ? { ...chat, exchanges: chat.exchanges.map(changeExchange) } : chat
  set({ chats: chats.map(changeIn) })
  return true
}

/** Streams the answers of an exchange in these columns, each by the chosen model, or by the one that answered in it last. */
async function answer(chatId: string, exchange: Exchange, columns: readonly number[]): Promise<void> {
  const served = selectChatModels(queryClient.getQueryData(queries.models.queryKey) ?? [])
  changeChat(chatId, ({ models }) => ({ models: chooseModels(models, served) }))
  const chat = get().chats.find(({ id }) => id === chatId)
  if (!chat) return
  const earlier = findPath(chat, exchange.parent).flatMap(({ answers }) => answers)
  const calls = columns.map((column) => {
    const last = earlier.findLast((one) => one.column === column)
    const model = chat.models[column] ?? last?.model ?? chat.models[0] ?? ''
    return { created: newAnswer(column, model), input: buildChatRequest(chat, exchange.id, column, model) }
  })
  const answers = [...exchange.answers, ...calls.map(({ created }) => created)]
  answers.sort((a, b) => a.column - b.column)
  changeChat(chatId, ({ exchanges }) => ({
    exchanges: exchanges.map((one) => (one.id === exchange.id ? { ...one, answers } : one)),
  }))
  set({ streaming: true })
  await Promise.all(calls.map(({ created, input }) => streamAnswer(created, input)))
  set({ streaming: false })
}

/** Never throws: errors are stored in the answer. */
async function streamAnswer({ id, column }: Answer, input: ChatInput): Promise<void> {
  const control = new AbortController()
  running.set(column, control)
  const change = (part: (answer: Answer) => Partial<Answer>) => changeAnswers((one) => one.id === id, part)
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const batch = createBatch((parts) => change((answer) => applyParts(answer, parts)))
  try {
    for await (const part of streamChat(input, control.signal)) batch.add({ part, ms: elapsed() })
    batch.flush()
  } catch (thrown) {
    const error = toApiError(thrown)
    batch.flush()
    change((answer) => interruptAnswer(answer, error, control.signal.aborted, elapsed()))
  }
  running.delete(column)
  saveChats(get().chats)
}

/** A stopped stream never reports its cost, which the record of its request has. */
onEventsApplied((events) => {
  for (const event of events) {
    if (event.type !== 'request' || event.request.costStatus === 'pending') continue
    const { request } = event
    const settled = changeAnswers(
      ({ requestId }) => requestId === request.id,
      () => readRecord(request),
    )
    if (settled) saveChats(get().chats)
  }
})
