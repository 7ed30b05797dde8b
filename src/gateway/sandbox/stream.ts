import { setTimeout as delay } from 'node:timers/promises'
import type { ChatChunk, ChunkChoice } from '../../shared/formats/chat-completion.ts'
import { toolCallDelta } from '../formats/chat/answers.ts'
import type { ChatEvent } from '../formats/chat/events.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import type { SandboxAnswer, SandboxChoice } from './answer.ts'

/** Few and short enough that a stream is over within a second, but visibly streams. */
const MAX_PAUSES = 60
const PAUSE_MS = 8

/** The answer as a stream with a chunk for each word. Ends with exactly one `done` or `failed`. */
export async function* streamAnswer(
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
    {
      index,
      delta: { role: 'assistant', content: choice.toolCall ? null : '' },
      finish_reason: null,
    },
    ...splitDeltas(choice).map((delta) => ({ index, delta, finish_reason: null })),
    { index, delta: {}, finish_reason: choice.finishReason },
  ])
}

function splitDeltas({ tokens, toolCall }: SandboxChoice): ChunkChoice['delta'][] {
  if (!toolCall) return joinWords(tokens).map((content) => ({ content }))
  if (!toolCall.function) return [{ tool_calls: [toolCallDelta(toolCall, 0)] }]
  const { name, arguments: args } = toolCall.function
  const opening = { index: 0, id: toolCall.id, type: 'function', function: { name, arguments: '' } }
  const pieces = args.match(/[\s\S]{1,16}/g) ?? []
  return [
    { tool_calls: [opening] },
    ...pieces.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ]
}

/** Joins tokens into words, each with the white space before it. */
function joinWords(tokens: readonly string[]): string[] {
  const words: string[] = []
  for (const token of tokens) {
    if (words.length === 0 || /^\s/.test(token)) words.push(token)
    else words.push(`${words.pop() ?? ''}${token}`)
  }
  return words
}

type Failure = ConstructorParameters<typeof UpstreamFailure>[0]

/** A failure that the prompt commanded: `what` the sandbox did. */
export function createFailure(what: string, failure: Omit<Failure, 'message'>): UpstreamFailure {
  return new UpstreamFailure({ ...failure, message: `The sandbox ${what}, as the prompt commanded.` })
}

/** Ends an answer in the middle: it is cut, or stalls until the gateway gives up. */
export async function interrupt(stall: boolean, stallTimeoutMs: number, signal: AbortSignal): Promise<never> {
  await wait(stall ? stallTimeoutMs : 0, signal)
  throw stall
    ? createFailure('sent no more of its answer in time', { kind: 'timeout' })
    : createFailure('cut its answer short', { kind: 'network' })
}

/** Waits. Throws an `aborted` UpstreamFailure when the signal aborts. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  try {
    if (ms > 0) await delay(ms, undefined, { signal })
    else signal.throwIfAborted()
  } catch {
    throw new UpstreamFailure({
      kind: 'aborted',
      message: 'The request was ended before its answer was complete.',
    })
  }
}
