import type { RequestBodies, RequestRecord, StoredChat } from '../../../shared/api/requests.ts'
import {
  type ChatRequest,
  type ContentPart,
  isKnownPart,
  type OtherPart,
} from '../../../shared/formats/chat.ts'
import { ApiError } from '../../kit/api-error.ts'
import { interruptAnswer, readRecord } from './answer-stream.ts'
import {
  type Answer,
  type Chat,
  type Exchange,
  newAnswer,
  newChat,
  newExchange,
  type ToolResult,
  type ToolUse,
} from './chat-storage.ts'
import { writeParameters } from './read-parameters.ts'
import { isControlledField } from './request-fields.ts'

type ChatResult = { ok: true; chat: Chat } | { ok: false; message: string }

/** Turns a recorded request into a chat. Its notes name what a chat cannot represent. */
export function toChat({ chat }: RequestBodies, record: RequestRecord): ChatResult {
  if (chat === null) {
    return { ok: false, message: 'The recorded request is not a chat request that can be shown here.' }
  }
  const { model, messages, n } = chat.request
  const { parameters, rest } = writeParameters(chat.request)
  const { system, exchanges, notes } = replayMessages(messages, model)
  if (!chat.complete) notes.push('Left out: what a chat completion cannot express.')
  const answer = readAnswer(chat.answers, record)
  const last = exchanges.at(-1)
  if (answer) last?.answers.push(answer)
  if (answer && (n ?? 1) > 1) notes.push(`Only the first of its ${n} answers is shown.`)
  const extra = Object.entries(rest).filter(([name]) => !isControlledField(name))
  return {
    ok: true,
    chat: {
      ...newChat(),
      models: [model],
      ...parameters,
      system,
      extra: extra.length > 0 ? JSON.stringify(Object.fromEntries(extra), null, 2) : '',
      replayOf: { requestId: record.id, notes },
      exchanges,
      tip: last?.id ?? null,
    },
  }
}

/** The recorded answer; null when it has neither text nor tool calls, so that the question can be sent again. */
function readAnswer([message]: StoredChat['answers'], record: RequestRecord): Answer | null {
  const text = message?.content ?? ''
  const reasoning = message?.reasoning_content
  const toolUses = (message?.tool_calls ?? []).flatMap(({ id, function: called }) =>
    called ? [{ id, name: called.name, arguments: called.arguments }] : [],
  )
  if (text === '' && toolUses.length === 0) return null
  const answer = { ...newAnswer(0, ''), text, toolUses, ...(typeof reasoning === 'string' && { reasoning }) }
  return {
    ...answer,
    ...describeEnd(answer, record),
    ...readRecord(record),
    requestId: record.id,
    model: record.model ?? record.requestedModel,
  }
}

function describeEnd(answer: Answer, { status, error }: RequestRecord): Partial<Answer> {
  if (status === 'succeeded') return { state: 'done' }
  if (status === 'canceled' || error === null) return { state: 'stopped' }
  return interruptAnswer(answer, new ApiError({ status: 200, ...error }), false, 0)
}

interface ReplayedMessages {
  system: string
  /** The last one has no answer yet. */
  exchanges: Exchange[]
  /** Notes about parts that could not be represented, one sentence each. */
  notes: string[]
}

type Message = ChatRequest['messages'][number]

/** The messages since the last answer. */
interface Question {
  texts: string[]
  images: string[]
  results: ToolResult[]
}

function replayMessages(messages: readonly Message[], model: string): ReplayedMessages {
  const system: string[] = []
  const exchanges: Exchange[] = []
  const omitted = new Map<string, number>()
  const omit = (what: string) => omitted.set(what, (omitted.get(what) ?? 0) + 1)
  const notes = new Set<string>()
  let question = emptyQuestion()

  const close = (): Exchange => {
    const { texts, images, results } = question
    if (texts.length > 1) notes.add('Consecutive user messages were merged into one.')
    const parent = exchanges.at(-1)?.id ?? null
    const exchange = newExchange(parent, texts.join('\n\n'), images, results)
    exchanges.push(exchange)
    question = emptyQuestion()
    return exchange
  }
  for (const message of messages) {
    for (const field of listUnknownFields(message)) omit(`“${field}” of a message`)
    switch (message.role) {
      case 'system':
      case 'developer':
        if (exchanges.length > 0 || !isEmpty(question)) {
          notes.add('A later system message was moved to the system prompt.')
        }
        if (message.role === 'developer') notes.add('The developer message is shown as the system prompt.')
        system.push(readText(message.content, omit))
        break
      case 'user': {
        const text = readText(message.content, omit)
        if (text !== '') question.texts.push(text)
        question.images.push(...readImages(message.content, omit))
        break
      }
      case 'assistant': {
        const exchange = close()
        const text = readText(message.content ?? '', omit)
        const toolUses = (message.tool_calls ?? []).flatMap((call) => readToolUses(call, omit))
        exchange.answers.push({ ...newAnswer(0, model), state: 'done', text, toolUses })
        break
      }
      case 'tool': {
        const use = exchanges
          .at(-1)
          ?.answers.at(-1)
          ?.toolUses.find(({ id }) => id === message.tool_call_id)
        if (use) {
          const content = readText(message.content, omit)
          question.results.push({ column: 0, callId: use.id, name: use.name, content })
        } else omit('tool result without its call')
        break
      }
      case 'function':
        omit('message of the role “function”')
        break
      default:
        message satisfies never
    }
  }
  if (isEmpty(question) && exchanges.length > 0)
    notes.add('The request ended with a partial answer (prefill).')
  close()
  return {
    system: system.join('\n\n'),
    exchanges,
    notes: [...notes, ...[...omitted].map(([what, times]) => describeOmission(what, times))],
  }
}

function describeOmission(what: string, times: number): string {
  return times === 1 ? `Left out: a ${what}.` : `Left out ${times} times: a ${what}.`
}

function emptyQuestion(): Question {
  return { texts: [], images: [], results: [] }
}

function isEmpty({ texts, images, results }: Question): boolean {
  return texts.length === 0 && images.length === 0 && results.length === 0
}

type OmissionListener = (what: string) => void
type Content = string | readonly (ContentPart | OtherPart)[]

function readText(content: Content, omit: OmissionListener): string {
  if (typeof content === 'string') return content
  const texts: string[] = []
  for (const part of content) {
    if (!isKnownPart(part)) {
      omit(`part of the type “${part.type}”`)
      continue
    }
    if (part.type === 'text') texts.push(part.text)
    else if (part.type !== 'image_url') omit(`part of the type “${part.type}”`)
    const known = part.type === 'image_url' ? ['type', 'image_url'] : ['type', 'text']
    if (part.type === 'text' || part.type === 'image_url') {
      for (const field of listOtherFields(part, known)) omit(`“${field}” of a part`)
    }
  }
  return texts.join('\n\n')
}

function readImages(content: Content, omit: OmissionListener): string[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) => {
    if (!isKnownPart(part) || part.type !== 'image_url') return []
    if (part.image_url.detail && part.image_url.detail !== 'auto') omit('“detail” of an image')
    return [part.image_url.url]
  })
}

type Call = NonNullable<Extract<Message, { role: 'assistant' }>['tool_calls']>[number]

function readToolUses(call: Call, omit: OmissionListener): ToolUse[] {
  if (call.function) {
    return [{ id: call.id, name: call.function.name, arguments: call.function.arguments }]
  }
  omit(`tool call of the type “${call.type ?? 'unknown'}”`)
  return []
}

const KNOWN_FIELDS: Record<Message['role'], readonly string[]> = {
  system: ['role', 'content'],
  developer: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls', 'signed_reasoning'],
  tool: ['role', 'content', 'tool_call_id', 'name'],
  function: ['role', 'content', 'name'],
}

function listUnknownFields(message: Message): string[] {
  return listOtherFields(message, KNOWN_FIELDS[message.role])
}

/** The names of the fields that have a value and are not in `known`. */
function listOtherFields(value: object, known: readonly string[]): string[] {
  return Object.entries(value).flatMap(([name, field]) =>
    known.includes(name) || field === null || field === undefined || field === '' ? [] : [name],
  )
}
