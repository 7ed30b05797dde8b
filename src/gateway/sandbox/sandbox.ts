// Owns the built-in provider: it answers on this machine, always the same, with the result type of a real attempt.
// What it says is decided in `sandbox-reply.ts`; here it gets its time, its stream and its failures.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type ChatRequest, outputLimit } from '../../shared/chat.ts'
import type { ChatChunk, ChatCompletion, ChunkChoice } from '../../shared/chat-completion.ts'
import type { Answer, ChatEvent } from '../formats/events.ts'
import { toolCallDelta } from '../formats/openai-chat/completion-events.ts'
import { knownRequest } from '../formats/openai-chat/known-types.ts'
import type { Target } from '../formats/target.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import { sandboxModels } from './models.ts'
import { type SandboxChoice, type SandboxReply, sandboxReply } from './reply.ts'

/** A stream pauses at most so often, so that it is seen to stream and is yet over within a second. */
const MAX_PAUSES = 60
const PAUSE_MS = 8
const DEFAULT_MAX_OUTPUT = 4096

const brokenOff = (): UpstreamFailure =>
  new UpstreamFailure({ kind: 'network', message: 'The sandbox broke off its answer, as it was told to.' })

function aborted(): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'aborted',
    message: 'The request was ended before its answer was complete.',
  })
}

function late(what: string): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'timeout',
    message: `The sandbox sent ${what} in time, as it was told to.`,
  })
}

/** Waits; throws an `aborted` UpstreamFailure when the signal aborts. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal })
  } catch {
    throw aborted()
  }
}

async function beginning(reply: SandboxReply, target: Target, signal: AbortSignal): Promise<void> {
  const { slow, error } = reply.commands
  if (signal.aborted) throw aborted()
  if (slow > 0) {
    await wait(Math.min(slow, target.firstByteTimeoutMs), signal)
    if (slow >= target.firstByteTimeoutMs) throw late('nothing')
  }
  if (error === null) return
  throw new UpstreamFailure({
    kind: 'status',
    status: error,
    code: 'sandbox_error',
    message: `The sandbox failed with status ${error}, as it was told to.`,
  })
}

function messageOf({ tokens, toolCall }: SandboxChoice): ChatCompletion['choices'][number]['message'] {
  if (toolCall) return { role: 'assistant', content: null, refusal: null, tool_calls: [toolCall] }
  return { role: 'assistant', content: tokens.join(''), refusal: null }
}

/** Tokens joined to words, so that a stream has a chunk for each word. */
function wordsOf(tokens: readonly string[]): string[] {
  const words: string[] = []
  for (const token of tokens) {
    if (words.length === 0 || /^\s/.test(token)) words.push(token)
    else words.push(`${words.pop() ?? ''}${token}`)
  }
  return words
}

function deltasOf({ tokens, toolCall }: SandboxChoice): ChunkChoice['delta'][] {
  if (!toolCall) return wordsOf(tokens).map((content) => ({ content }))
  if (!toolCall.function) return [{ tool_calls: [toolCallDelta(toolCall, 0)] }]
  const { name, arguments: args } = toolCall.function
  const opening = { index: 0, id: toolCall.id, type: 'function', function: { name, arguments: '' } }
  const pieces = args.match(/[\s\S]{1,16}/g) ?? []
  return [
    { tool_calls: [opening] },
    ...pieces.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ]
}

function choicesOf(reply: SandboxReply): ChunkChoice[] {
  return reply.choices.flatMap((choice, index) => [
    {
      index,
      delta: { role: 'assistant', content: choice.toolCall ? null : '' },
      finish_reason: null,
    },
    ...deltasOf(choice).map((delta) => ({ index, delta, finish_reason: null })),
    { index, delta: {}, finish_reason: choice.finishReason },
  ])
}

async function* stream(
  reply: SandboxReply,
  identity: Pick<ChatChunk, 'id' | 'created' | 'model'>,
  target: Target,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void, void> {
  const choices = choicesOf(reply)
  const { cut, stall } = reply.commands
  const breakAt = cut || stall ? Math.ceil(choices.length / 2) : Number.POSITIVE_INFINITY
  const pauseEvery = Math.max(2, Math.ceil(choices.length / MAX_PAUSES))
  try {
    for (const [at, choice] of choices.entries()) {
      if (signal.aborted) throw aborted()
      if (at >= breakAt) {
        if (stall) await wait(target.stallTimeoutMs, signal)
        throw stall ? late('no more of its answer') : brokenOff()
      }
      if (at > 0 && at % pauseEvery === 0) await wait(PAUSE_MS, signal)
      yield {
        type: 'chunk',
        chunk: { ...identity, object: 'chat.completion.chunk', choices: [choice] },
        raw: null,
      }
    }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    yield { type: 'failed', failure: error }
    return
  }
  if (reply.usage) yield { type: 'usage', usage: reply.usage }
  yield { type: 'done' }
}

/** One attempt at the sandbox: like `attempt`, without a network. Throws UpstreamFailure. */
export async function answerFromSandbox(
  target: Target,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const model = sandboxModels.find(({ id }) => id === target.upstreamModel)
  const most = model?.maxOutputTokens ?? DEFAULT_MAX_OUTPUT
  const asked = outputLimit(request) ?? target.enforcedOutputTokens ?? most
  const reply = sandboxReply(knownRequest(request), Math.min(asked, most))
  await beginning(reply, target, signal)
  const identity = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: target.upstreamModel,
  }
  if (request.stream) return { kind: 'stream', events: stream(reply, identity, target, signal) }
  if (reply.commands.cut) throw brokenOff()
  if (reply.commands.stall) {
    await wait(target.stallTimeoutMs, signal)
    throw late('no more of its answer')
  }
  const choices = reply.choices.map((choice, index) => ({
    index,
    message: messageOf(choice),
    logprobs: null,
    finish_reason: choice.finishReason,
  }))
  const completion: ChatCompletion = { ...identity, object: 'chat.completion', choices }
  return { kind: 'plain', completion, usage: reply.usage }
}
