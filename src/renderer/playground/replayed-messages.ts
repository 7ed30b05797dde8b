// Owns how the messages of a recorded request become exchanges of a conversation, and what of them has no place there.
// Pure. Knows nothing of how they were recorded, or of the answer to them.
import { type ChatRequest, type ContentPart, isKnownPart, type OtherPart } from '../../shared/chat.ts'
import { type Exchange, newAnswer, newExchange, type ToolResult, type ToolUse } from './chat-storage.ts'

export interface ReplayedMessages {
  system: string
  /** The last one is still to be answered. */
  exchanges: Exchange[]
  /** What could not be taken over, a sentence each. */
  notes: string[]
}

type Message = ChatRequest['messages'][number]

/** What a place in the conversation holds until an answer ends it. */
interface Question {
  texts: string[]
  images: string[]
  results: ToolResult[]
}

export function replayMessages(messages: readonly Message[], model: string): ReplayedMessages {
  const system: string[] = []
  const exchanges: Exchange[] = []
  const left = new Map<string, number>()
  const leave = (what: string) => left.set(what, (left.get(what) ?? 0) + 1)
  const notes = new Set<string>()
  let question = blank()

  const close = (): Exchange => {
    const { texts, images, results } = question
    if (texts.length > 1) notes.add('User messages that followed one another are one message here.')
    const parent = exchanges.at(-1)?.id ?? null
    const exchange = newExchange(parent, texts.join('\n\n'), images, results)
    exchanges.push(exchange)
    question = blank()
    return exchange
  }
  for (const message of messages) {
    for (const field of unknownFields(message)) leave(`“${field}” of a message`)
    switch (message.role) {
      case 'system':
      case 'developer':
        if (exchanges.length > 0 || !isBlank(question)) {
          notes.add('A system message from further down now stands at the start.')
        }
        if (message.role === 'developer') notes.add('The developer message is the system prompt here.')
        system.push(textOf(message.content, leave))
        break
      case 'user': {
        const text = textOf(message.content, leave)
        if (text !== '') question.texts.push(text)
        question.images.push(...imagesOf(message.content, leave))
        break
      }
      case 'assistant': {
        const exchange = close()
        const text = textOf(message.content ?? '', leave)
        const toolUses = (message.tool_calls ?? []).flatMap((call) => usesOf(call, leave))
        exchange.answers.push({ ...newAnswer(0, model), state: 'done', text, toolUses })
        break
      }
      case 'tool': {
        const use = exchanges
          .at(-1)
          ?.answers.at(-1)
          ?.toolUses.find(({ id }) => id === message.tool_call_id)
        if (use) {
          const content = textOf(message.content, leave)
          question.results.push({ column: 0, callId: use.id, name: use.name, content })
        } else leave('tool result without its call')
        break
      }
      case 'function':
        leave('message of the role “function”')
        break
      default:
        message satisfies never
    }
  }
  if (isBlank(question) && exchanges.length > 0) notes.add('The request ended with an answer to go on from.')
  close()
  return {
    system: system.join('\n\n'),
    exchanges,
    notes: [...notes, ...[...left].map(([what, times]) => leftOut(what, times))],
  }
}

function leftOut(what: string, times: number): string {
  return times === 1 ? `Left out: a ${what}.` : `Left out: ${times} times a ${what}.`
}

function blank(): Question {
  return { texts: [], images: [], results: [] }
}

function isBlank({ texts, images, results }: Question): boolean {
  return texts.length === 0 && images.length === 0 && results.length === 0
}

type Leave = (what: string) => void
type Content = string | readonly (ContentPart | OtherPart)[]

function textOf(content: Content, leave: Leave): string {
  if (typeof content === 'string') return content
  const texts: string[] = []
  for (const part of content) {
    if (!isKnownPart(part)) {
      leave(`part of the type “${part.type}”`)
      continue
    }
    if (part.type === 'text') texts.push(part.text)
    else if (part.type !== 'image_url') leave(`part of the type “${part.type}”`)
    const known = part.type === 'image_url' ? ['type', 'image_url'] : ['type', 'text']
    if (part.type === 'text' || part.type === 'image_url') {
      for (const field of otherFields(part, known)) leave(`“${field}” of a part`)
    }
  }
  return texts.join('\n\n')
}

function imagesOf(content: Content, leave: Leave): string[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) => {
    if (!isKnownPart(part) || part.type !== 'image_url') return []
    if (part.image_url.detail && part.image_url.detail !== 'auto') leave('“detail” of an image')
    return [part.image_url.url]
  })
}

type Call = NonNullable<Extract<Message, { role: 'assistant' }>['tool_calls']>[number]

function usesOf(call: Call, leave: Leave): ToolUse[] {
  if (call.function) {
    return [{ id: call.id, name: call.function.name, arguments: call.function.arguments }]
  }
  leave(`tool call of the type “${call.type ?? 'unknown'}”`)
  return []
}

const KNOWN: Record<Message['role'], readonly string[]> = {
  system: ['role', 'content'],
  developer: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls'],
  tool: ['role', 'content', 'tool_call_id', 'name'],
  function: ['role', 'content', 'name'],
}

function unknownFields(message: Message): string[] {
  return otherFields(message, KNOWN[message.role])
}

/** The names of fields that say something and are none of those known. */
function otherFields(value: object, known: readonly string[]): string[] {
  return Object.entries(value).flatMap(([name, field]) =>
    known.includes(name) || field === null || field === undefined || field === '' ? [] : [name],
  )
}
