import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { ChatCompletion } from '../../../shared/formats/chat-completion.ts'
import type { Target } from '../../formats/chat/codec-types.ts'
import type { ChatEvent, PlainAnswer } from '../../formats/chat/events.ts'
import { UpstreamFailure } from '../../formats/chat/failure.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { sandboxAdapter } from '../adapter.ts'

export const sandboxTarget = testTarget('', {
  providerId: 'sandbox',
  apiFormat: 'sandbox',
  upstreamModel: 'sandbox-large',
})

export const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Current weather and temperature for a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
    },
  },
}

const never = new AbortController().signal

/** A request with one user message. */
export function createRequest(content: string, over: Partial<ChatRequest> = {}): ChatRequest {
  return { model: 'sandbox-large', messages: [{ role: 'user', content }], ...over }
}

export async function answer(request: ChatRequest, over: Partial<Target> = {}): Promise<PlainAnswer> {
  const result = await sandboxAdapter.send({ target: { ...sandboxTarget, ...over }, request, signal: never })
  if (result.kind !== 'plain') throw new Error('not plain')
  ChatCompletion.parse(result.completion)
  return result
}

/** The text of the first choice. */
export async function answerText(request: ChatRequest): Promise<string> {
  return (await answer(request)).completion.choices[0]?.message.content ?? ''
}

/** The events of the answer as a stream. */
export async function answerEvents(request: ChatRequest, over: Partial<Target> = {}): Promise<ChatEvent[]> {
  const target = { ...sandboxTarget, ...over }
  const result = await sandboxAdapter.send({ target, request: { ...request, stream: true }, signal: never })
  if (result.kind !== 'stream') throw new Error('not a stream')
  const events: ChatEvent[] = []
  for await (const batch of result.events) events.push(...batch)
  return events
}

export function textOfEvents(events: readonly ChatEvent[]): string {
  return events
    .flatMap((event) =>
      event.type === 'chunk' ? event.chunk.choices.map(({ delta }) => delta.content ?? '') : [],
    )
    .join('')
}

export async function findFailure(promise: Promise<unknown>): Promise<UpstreamFailure> {
  const error: unknown = await promise.catch((reason: unknown) => reason)
  if (!(error instanceof UpstreamFailure)) throw new Error('did not fail')
  return error
}
