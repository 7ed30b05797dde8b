// Amazon Bedrock as far as Converse goes: it checks the signature and the whole request, and answers by a script. What it sends
// has the types of AWS's SDK, whose own client reads it in vendor.test.ts.
import type {
  ContentBlock,
  ConverseResponse,
  ConverseStreamOutput,
  StopReason,
  TokenUsage,
} from '@aws-sdk/client-bedrock-runtime'
import { findSignatureFault } from '../../../upstream/testing/aws-verifier.ts'
import type { TestExchange, TestHandler } from '../../../upstream/testing/test-upstream.ts'
import { encodeEvent, encodeException } from '../../testing/event-stream.ts'
import { type ConverseBody, readConverseRequest } from './request-schema.ts'

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
export const ACCESS_KEY = `AKIDEXAMPLEAKIDEXAMP:${SECRET}`
export const API_KEY = 'ABSKexample'

/** A block of an answer; bytes are their text in base64. */
export type ScriptedBlock =
  | { text: string }
  | { toolUse: { toolUseId: string; name: string; input: object } }
  | { reasoningContent: { reasoningText: { text: string; signature?: string } } }
  | { reasoningContent: { redactedContent: string } }

export interface ScriptedAnswer {
  content: readonly ScriptedBlock[]
  stopReason?: StopReason
  usage: TokenUsage
  /** The exception that ends a stream after so many events. */
  exception?: { type: string; after: number }
  /** An error instead of the answer. */
  error?: { status: number; type: string; message: string; headers?: Record<string, string> }
}

export interface ReceivedCall {
  /** As the path names it. */
  modelId: string
  isStream: boolean
  body: ConverseBody
}

type Script = (call: ReceivedCall) => ScriptedAnswer

/** How AWS writes the members of an answer that have bytes. */
const asSdk = (blocks: readonly ScriptedBlock[]): ContentBlock[] =>
  blocks.map((block): ContentBlock => {
    if ('text' in block) return block
    if ('toolUse' in block) return { toolUse: { ...block.toolUse, input: { ...block.toolUse.input } } }
    const { reasoningContent: reasoning } = block
    if ('reasoningText' in reasoning) return { reasoningContent: reasoning }
    return { reasoningContent: { redactedContent: Buffer.from(reasoning.redactedContent, 'base64') } }
  })

/** JSON with bytes in base64. */
function toWire(value: unknown): string {
  return JSON.stringify(value, (_, member) => {
    if (member?.type === 'Buffer' && Array.isArray(member.data))
      return Buffer.from(member.data).toString('base64')
    return member
  })
}

function plainAnswer({ content, stopReason = 'end_turn', usage }: ScriptedAnswer): ConverseResponse {
  const message = { role: 'assistant' as const, content: asSdk(content) }
  return { output: { message }, stopReason, usage, metrics: { latencyMs: 7 } }
}

const PIECE = 6
const pieces = (text: string): string[] => text.match(new RegExp(`[^]{1,${PIECE}}`, 'gu')) ?? []

function* listEvents({
  content,
  stopReason = 'end_turn',
  usage,
}: ScriptedAnswer): Generator<ConverseStreamOutput, void, void> {
  yield { messageStart: { role: 'assistant' } }
  for (const [contentBlockIndex, block] of content.entries()) {
    if ('text' in block)
      for (const text of pieces(block.text))
        yield { contentBlockDelta: { contentBlockIndex, delta: { text } } }
    else if ('toolUse' in block) {
      const { input, ...toolUse } = block.toolUse
      yield { contentBlockStart: { contentBlockIndex, start: { toolUse } } }
      for (const piece of pieces(JSON.stringify(input)))
        yield { contentBlockDelta: { contentBlockIndex, delta: { toolUse: { input: piece } } } }
    } else
      for (const reasoningContent of listReasoning(block.reasoningContent))
        yield { contentBlockDelta: { contentBlockIndex, delta: { reasoningContent } } }
    yield { contentBlockStop: { contentBlockIndex } }
  }
  yield { messageStop: { stopReason } }
  yield { metadata: { usage, metrics: { latencyMs: 7 } } }
}

type Reasoning = Extract<ScriptedBlock, { reasoningContent: unknown }>['reasoningContent']

function listReasoning(reasoning: Reasoning) {
  if ('redactedContent' in reasoning)
    return [{ redactedContent: Buffer.from(reasoning.redactedContent, 'base64') }]
  const { text, signature } = reasoning.reasoningText
  return [
    ...pieces(text).map((piece) => ({ text: piece })),
    ...(signature === undefined ? [] : pieces(signature).map((piece) => ({ signature: piece }))),
  ]
}

/** The bytes of a stream. */
export function encodeAnswer(answer: ScriptedAnswer): Buffer {
  const { exception } = answer
  const events = [...listEvents(answer)].slice(0, exception?.after)
  const messages = events.flatMap((event) =>
    Object.entries(event).map(([name, value]) => encodeEvent(name, toWire({ ...value, p: 'abcdef' }))),
  )
  return Buffer.concat([...messages, ...(exception ? [encodeException(exception.type, 'It broke.')] : [])])
}

export class ScriptedConverse {
  /** Every call with a valid signature and body, in order. */
  readonly calls: ReceivedCall[] = []
  script: Script

  constructor(script: Script) {
    this.script = script
  }

  readonly handler: TestHandler = (exchange) => {
    const { request } = exchange
    const isKey = request.headers.authorization === `Bearer ${API_KEY}`
    const fault = isKey ? null : findSignatureFault(request, SECRET)
    if (fault !== null) return refuse(exchange, 403, 'InvalidSignatureException', fault)
    const [, name = '', action] = /^\/model\/([^/?]+)\/(converse|converse-stream)$/.exec(request.path) ?? []
    if (!action) return refuse(exchange, 404, 'UnknownOperationException', request.path)
    let body: ConverseBody
    try {
      body = readConverseRequest(request.json())
    } catch (error) {
      return refuse(exchange, 400, 'ValidationException', String(error))
    }
    const isStream = action === 'converse-stream'
    const call = { modelId: decodeURIComponent(name), isStream, body }
    this.calls.push(call)
    const answer = this.script(call)
    const { error } = answer
    if (error) return refuse(exchange, error.status, error.type, error.message, error.headers)
    if (!isStream) return exchange.reply(200, toWire(plainAnswer(answer)))
    exchange.begin({ 'content-type': 'application/vnd.amazon.eventstream' }).raw(encodeAnswer(answer)).end()
  }
}

function refuse(
  exchange: TestExchange,
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  exchange.reply(status, { message }, { 'x-amzn-errortype': type, ...headers })
}
