// The built-in provider, as an upstream adapter: it answers inside this process, always the same for the same request.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type ChatRequest, outputLimit } from '../../shared/formats/chat.ts'
import type { ChatChunk, ChatCompletion, ChunkChoice } from '../../shared/formats/chat-completion.ts'
import { toolCallDelta } from '../formats/chat/answers.ts'
import { limitOutput, type Target, type UpstreamModel } from '../formats/chat/codec-types.ts'
import type { Answer, ChatEvent } from '../formats/chat/events.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { knownRequest } from '../formats/chat/message-content.ts'
import { createAnswer, type SandboxAnswer, type SandboxChoice } from './answer.ts'
import { sandboxModels } from './models.ts'

const DEFAULT_MAX_OUTPUT = 4096
/** Few and short enough that a stream is over within a second, but visibly streams. */
const MAX_PAUSES = 60
const PAUSE_MS = 8

interface SandboxCall {
  target: Target
  request: ChatRequest
  signal: AbortSignal
}

export const sandboxAdapter = {
  send: sendToSandbox,
  listModels: async (): Promise<UpstreamModel[]> =>
    sandboxModels.map((model) => ({ ...model, capabilities: [...model.capabilities] })),
}

async function sendToSandbox({ target, request, signal }: SandboxCall): Promise<Answer> {
  const { upstreamModel, firstByteTimeoutMs } = target
  const max = sandboxModels.find(({ id }) => id === upstreamModel)?.maxOutputTokens ?? DEFAULT_MAX_OUTPUT
  const limit = limitOutput(outputLimit(request), target) ?? max
  const answer = createAnswer(knownRequest(request), Math.min(limit, max))
  const { slow, error, cut, stall } = answer.commands
  await wait(Math.min(slow, firstByteTimeoutMs), signal)
  if (slow > 0 && slow >= firstByteTimeoutMs) throw createFailure('sent nothing in time', { kind: 'timeout' })
  if (error !== null)
    throw createFailure(`failed with status ${error}`, {
      kind: 'status',
      status: error,
      code: 'sandbox_error',
    })
  const created = Math.floor(Date.now() / 1000)
  const identity = { id: `chatcmpl-${randomUUID()}`, created, model: upstreamModel }
  if (request.stream) {
    return { kind: 'stream', events: streamAnswer(answer, identity, target.stallTimeoutMs, signal) }
  }
  if (cut || stall) await interrupt(stall, target.stallTimeoutMs, signal)
  const choices = answer.choices.map(({ tokens, toolCall, finishReason }, index) => ({
    index,
    message: {
      role: 'assistant' as const,
      content: toolCall ? null : tokens.join(''),
      refusal: null,
      ...(toolCall && { tool_calls: [toolCall] }),
    },
    logprobs: null,
    finish_reason: finishReason,
  }))
  const completion: ChatCompletion = { ...identity, object: 'chat.completion', choices }
  return { kind: 'plain', completion, usage: answer.usage }
}

/** The answer as a stream with a chunk for each word. Ends with exactly one `done` or `failed`. */
async function* streamAnswer(
  answer: SandboxAnswer,
  identity: Pick<ChatChunk, 'id' | 'created' | 'model'>,
  stallTimeoutMs: number,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent[], void, void> {
  const choices = chunkChoices(answer)
  const { cut, stall } = answer.commands
  const lastAt = cut || stall ? Math.ceil(choices.length / 2) : Number.POSITIVE_INFINITY
  const pauseEvery = Math.max(2, Math.ceil(choices.length / MAX_PAUSES))
  try {
    for (const [at, choice] of choices.entries()) {
      if (at >= lastAt) await interrupt(stall, stallTimeoutMs, signal)
      await wait(at > 0 && at % pauseEvery === 0 ? PAUSE_MS : 0, signal)
      const chunk: ChatChunk = { ...identity, object: 'chat.completion.chunk', choices: [choice] }
      yield [{ type: 'chunk', chunk, raw: null }]
    }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    yield [{ type: 'failed', failure: error }]
    return
  }
  if (answer.usage) yield [{ type: 'usage', usage: answer.usage }]
  yield [{ type: 'done' }]
}

function chunkChoices(answer: SandboxAnswer): ChunkChoice[] {
  return answer.choices.flatMap((choice, index) => [
    { index, delta: { role: 'assistant', content: choice.toolCall ? null : '' }, finish_reason: null },
    ...splitDeltas(choice).map((delta) => ({ index, delta, finish_reason: null })),
    { index, delta: {}, finish_reason: choice.finishReason },
  ])
}

function splitDeltas({ tokens, toolCall }: SandboxChoice): ChunkChoice['delta'][] {
  // A word with the white space before it.
  const words = tokens.join('').match(/\s*\S+|\s+/g) ?? []
  if (!toolCall) return words.map((content) => ({ content }))
  if (!toolCall.function) return [{ tool_calls: [toolCallDelta(toolCall, 0)] }]
  const { name, arguments: args } = toolCall.function
  const opening = { index: 0, id: toolCall.id, type: 'function', function: { name, arguments: '' } }
  const pieces = args.match(/[\s\S]{1,16}/g) ?? []
  return [
    { tool_calls: [opening] },
    ...pieces.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ]
}

type Failure = ConstructorParameters<typeof UpstreamFailure>[0]

/** A failure that the prompt commanded. `event`: what the sandbox did. */
function createFailure(event: string, failure: Omit<Failure, 'message'>): UpstreamFailure {
  return new UpstreamFailure({ ...failure, message: `The sandbox ${event}, as the prompt commanded.` })
}

/** Ends an answer in the middle: it is cut, or stalls until the gateway gives up. */
async function interrupt(stall: boolean, stallTimeoutMs: number, signal: AbortSignal): Promise<never> {
  await wait(stall ? stallTimeoutMs : 0, signal)
  throw stall
    ? createFailure('sent no more of its answer in time', { kind: 'timeout' })
    : createFailure('cut its answer short', { kind: 'network' })
}

/** Waits. Throws an `aborted` UpstreamFailure when the signal aborts. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  try {
    if (ms > 0) await delay(ms, undefined, { signal })
    else signal.throwIfAborted()
  } catch {
    const message = 'The request was ended before its answer was complete.'
    throw new UpstreamFailure({ kind: 'aborted', message })
  }
}
