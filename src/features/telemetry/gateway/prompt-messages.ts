// Prompts and answers as `gen_ai.input.messages` and `gen_ai.output.messages`:
// https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-input-messages.json
import type { AnswerAssembler } from '../../../shared/formats/answer-assembler.ts'
import type { ChatRequest, ToolCall } from '../../../shared/formats/chat.ts'
import { getText, type JsonObject, toObject } from '../../../shared/values/json.ts'

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
    return [{ type: 'tool_call_response', id: message.tool_call_id, response: joinTexts(content) }]
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  return [...content, ...calls.map(toolCallPart)]
}

function contentParts(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', content }]
  return Array.isArray(content) ? content.map((part) => contentPart(toObject(part))) : []
}

/** Without the bytes of images, sound and files. */
function contentPart({ type, text, image_url: image }: JsonObject): Part {
  if (typeof text === 'string') return { type: 'text', content: text }
  const url = type === 'image_url' ? getText(toObject(image).url) : ''
  if (url !== '' && !url.startsWith('data:')) return { type: 'uri', modality: 'image', uri: url }
  return { type: getText(type) || 'unknown' }
}

function toolCallPart({ id, function: called }: ToolCall): Part {
  return { type: 'tool_call', id, name: called?.name ?? '', arguments: parsed(called?.arguments ?? '') }
}

function joinTexts(parts: readonly Part[]): string {
  return parts.map(({ content }) => getText(content)).join('')
}

/** The answer as JSON; shortened to a note if it is too long. */
export function outputMessages(answer: AnswerAssembler): string {
  const messages = answer.list().map(outputMessage)
  const json = JSON.stringify(messages)
  if (json.length <= MAX_LENGTH) return json
  const note = [{ type: 'text', content: `(left out: ${json.length} characters)` }]
  return JSON.stringify(messages.map((message) => ({ ...message, parts: note })))
}

type Choice = ReturnType<AnswerAssembler['list']>[number]

function outputMessage({ content, reasoning, calls, finish }: Choice): OutputMessage {
  const parts: Part[] = []
  if (reasoning !== '') parts.push({ type: 'reasoning', content: reasoning })
  if (content !== '') parts.push({ type: 'text', content })
  for (const call of calls.list())
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
