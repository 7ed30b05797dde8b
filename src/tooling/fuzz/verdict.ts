import { z } from 'zod'
import { hasStreamEnd, isErrorFor } from '../../contract/testing/answer-form.ts'
import { ErrorBody } from '../../shared/api/errors.ts'
import { ChatChunk, ChatCompletion, ChatUsage, FINISH_REASONS } from '../../shared/formats/chat-completion.ts'
import type { ReceivedResponse } from '../soak/client.ts'
import { parseJson } from './odd-values.ts'

const Count = z.int().nonnegative()
const Usage = ChatUsage.extend({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
  cost: z.number().nonnegative().nullish(),
})
const Finish = z.enum(FINISH_REASONS)
const Choice = ChatCompletion.shape.choices.element.extend({ index: Count, finish_reason: Finish })
const Completion = ChatCompletion.extend({ choices: z.array(Choice), usage: Usage })
const ChunkChoice = ChatChunk.shape.choices.element.extend({ index: Count, finish_reason: Finish.nullish() })
const Chunk = ChatChunk.extend({ choices: z.array(ChunkChoice), usage: Usage.nullish() })

const CHAT = '/v1/chat/completions'
const Failed = z.looseObject({ error: ErrorBody })

/** Checks a response to a request on the path as a strict client would. Returns what is wrong, or null. */
export function findFlaw(
  { status, headers, text, complete }: Omit<ReceivedResponse, 'trailers'>,
  path: string,
  stream: boolean,
): string | null {
  if (status === 0) return 'no response'
  if (typeof headers['x-service-request-id'] !== 'string') return `${status} without a request id`
  if (status === 500) return 'an internal error (500)'
  if (status !== 200) {
    if (!isErrorFor(path, parseJson(text))) return `${status} without the error envelope`
    return complete ? null : `${status} interrupted`
  }
  if (path !== CHAT) return findOtherFlaw({ text, complete }, path, stream)
  if (stream) return findStreamFlaw(text, complete)
  if (!complete) return 'a plain response was interrupted'
  return findSchemaFlaw(Completion, parseJson(text), 'a completion')
}

/** A whole response of another format. What passes through unchanged may hold anything, so its members are not checked. */
function findOtherFlaw(
  { text, complete }: Pick<ReceivedResponse, 'text' | 'complete'>,
  path: string,
  stream: boolean,
): string | null {
  if (stream) return hasStreamEnd(path, text) ? null : 'a stream without an end'
  if (!complete) return 'a plain response was interrupted'
  return parseJson(text) === undefined ? 'a plain response that is not JSON' : null
}

function findStreamFlaw(text: string, complete: boolean): string | null {
  const events = text.split('\n\n')
  if (events.pop() !== '')
    return complete ? 'a stream that ends within an event' : 'a stream interrupted within an event'
  const data = events.filter((event) => !event.startsWith(':'))
  const last = data.pop()?.replace(/^data: /, '')
  for (const event of data) {
    if (!event.startsWith('data: ')) return 'a stream with an event that is not data'
    const flaw = findSchemaFlaw(Chunk, parseJson(event.slice('data: '.length)), 'a chunk')
    if (flaw !== null) return flaw
  }
  if (last === '[DONE]') return complete ? null : 'a complete stream was interrupted'
  return Failed.safeParse(parseJson(last ?? '')).success ? null : 'a stream without an end'
}

function findSchemaFlaw(schema: z.ZodType, value: unknown, what: string): string | null {
  const { error } = schema.safeParse(value)
  if (!error) return null
  const [issue] = error.issues
  const where = issue?.path.map((step) => (typeof step === 'number' ? 'N' : String(step))).join('.')
  return `${what} with a wrong ${where === '' ? 'type' : where}: ${issue?.message}`
}
