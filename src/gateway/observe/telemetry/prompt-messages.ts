// Prompts and answers as `gen_ai.input.messages` and `gen_ai.output.messages`:
// https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-input-messages.json
import type { ChatRequest, ToolCall } from '../../../shared/formats/chat.ts'

/** The maximum length of the JSON of one attribute. Receivers reject larger requests. */
const MAX_LENGTH = 262_144

type Part = Readonly<Record<string, unknown>> & { type: string }

interface OutputMessage {
  role: 'assistant'
  parts: Part[]
  finish_reason: string
}

/** The prompt as JSON. The oldest messages are left out of one that is too long. */
export function inputMessages({ messages }: ChatRequest): string {
  const kept: string[] = []
  let length = 2
  for (const message of messages.toReversed()) {
    const json = JSON.stringify({ role: message.role, parts: listParts(message) })
    length += json.length + 1
    if (length > MAX_LENGTH) break
    kept.unshift(json)
  }
  return `[${kept.join(',')}]`
}

function listParts(message: ChatRequest['messages'][number]): Part[] {
  const content = contentParts(message.content)
  if (message.role === 'tool')
    return [{ type: 'tool_call_response', id: message.tool_call_id, response: getText(content) }]
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  return [...content, ...calls.map(toolCallPart)]
}

function contentParts(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', content }]
  return Array.isArray(content) ? content.map(contentPart) : []
}

/** Without the bytes of images, sound and files. */
function contentPart(part: unknown): Part {
  const type = readText(part, 'type') ?? 'unknown'
  const text = readText(part, 'text')
  if (text !== null) return { type: 'text', content: text }
  const url = type === 'image_url' ? readText(readMember(part, 'image_url'), 'url') : null
  if (url !== null && !url.startsWith('data:')) return { type: 'uri', modality: 'image', uri: url }
  return { type }
}

function toolCallPart({ id, function: called }: ToolCall): Part {
  return { type: 'tool_call', id, name: called?.name ?? '', arguments: parsed(called?.arguments ?? '') }
}

function getText(parts: readonly Part[]): string {
  return parts.map(({ content }) => (typeof content === 'string' ? content : '')).join('')
}

/** Collects the choices of an answer from its message, or from the deltas of a stream. */
export class AnswerCollector {
  readonly #choices = new Map<number, Choice>()

  add(index: number, delta: Readonly<Record<string, unknown>>, finish: string | null): void {
    const choice = this.#choices.get(index) ?? { text: '', reasoning: '', calls: new Map(), finish: null }
    this.#choices.set(index, choice)
    choice.text += readText(delta, 'content') ?? ''
    choice.reasoning += readText(delta, 'reasoning_content') ?? ''
    const calls = readMember(delta, 'tool_calls')
    for (const [position, call] of (Array.isArray(calls) ? calls : []).entries())
      addCall(choice, position, call)
    choice.finish = finish ?? choice.finish
  }

  /** The answer as JSON; shortened to a note if it is too long. */
  toJson(): string {
    const messages = [...this.#choices.values()].map(outputMessage)
    const json = JSON.stringify(messages)
    if (json.length <= MAX_LENGTH) return json
    const note = [{ type: 'text', content: `(left out: ${json.length} characters)` }]
    return JSON.stringify(messages.map((message) => ({ ...message, parts: note })))
  }
}

interface Choice {
  text: string
  reasoning: string
  calls: Map<number, { id: string; name: string; arguments: string }>
  finish: string | null
}

/** Pieces of a call have its `index`; whole calls are in order. */
function addCall({ calls }: Choice, position: number, delta: unknown): void {
  const given = readMember(delta, 'index')
  const index = typeof given === 'number' ? given : position
  const call = calls.get(index) ?? { id: '', name: '', arguments: '' }
  const called = readMember(delta, 'function')
  calls.set(index, {
    id: call.id + (readText(delta, 'id') ?? ''),
    name: call.name + (readText(called, 'name') ?? ''),
    arguments: call.arguments + (readText(called, 'arguments') ?? ''),
  })
}

function outputMessage({ text, reasoning, calls, finish }: Choice): OutputMessage {
  const parts: Part[] = []
  if (reasoning !== '') parts.push({ type: 'reasoning', content: reasoning })
  if (text !== '') parts.push({ type: 'text', content: text })
  for (const call of calls.values())
    parts.push({ type: 'tool_call', ...call, arguments: parsed(call.arguments) })
  // The conventions have `tool_call` for OpenAI's `tool_calls`.
  return {
    role: 'assistant',
    parts,
    finish_reason: finish === 'tool_calls' ? 'tool_call' : (finish ?? 'error'),
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function readText(value: unknown, name: string): string | null {
  const member = readMember(value, name)
  return typeof member === 'string' ? member : null
}
