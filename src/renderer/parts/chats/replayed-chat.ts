import { createParser } from 'eventsource-parser'
import type { RequestBodies, RequestRecord } from '../../../shared/api/requests.ts'
import { ChatRequest } from '../../../shared/formats/chat.ts'
import { ChatCompletion } from '../../../shared/formats/chat-completion.ts'
import { DONE, readChunk } from '../../data/chat-stream.ts'
import { ApiError, isErrorEnvelope, toApiError } from '../../kit/api-error.ts'
import { applyPart, interruptAnswer, readRecord } from './answer-stream.ts'
import { type Answer, type Chat, newAnswer, newChat } from './chat-storage.ts'
import { isControlledField } from './parse-extra-fields.ts'
import { writeParameters } from './read-parameters.ts'
import { replayMessages } from './replayed-messages.ts'

export type ReplayResult = { ok: true; chat: Chat } | { ok: false; message: string }

/** Turns a recorded request into a chat. Its notes name what a chat cannot represent. */
export function replayRequest(bodies: RequestBodies, record: RequestRecord): ReplayResult {
  const request = ChatRequest.safeParse(parseJson(bodies.request))
  if (!request.success) {
    return { ok: false, message: 'The recorded request is not a chat request that can be shown here.' }
  }
  const { model, messages, n } = request.data
  const { parameters, rest } = writeParameters(request.data)
  const { system, exchanges, notes } = replayMessages(messages, model)
  const answer = readAnswer(bodies.response, record)
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
function readAnswer(response: string | null, record: RequestRecord): Answer | null {
  const answer = response === null ? null : (readJsonAnswer(response) ?? readStreamedAnswer(response, record))
  if (answer === null || (answer.text === '' && answer.toolUses.length === 0)) return null
  return {
    ...answer,
    ...readRecord(record),
    requestId: record.id,
    model: record.model ?? record.requestedModel,
  }
}

function readJsonAnswer(response: string): Answer | null {
  const completion = ChatCompletion.safeParse(parseJson(response))
  const message = completion.data?.choices.find(({ index }) => index === 0)?.message
  if (!message) return null
  const reasoning = message.reasoning_content
  return {
    ...newAnswer(0, ''),
    state: 'done',
    text: message.content ?? '',
    reasoning: typeof reasoning === 'string' ? reasoning : '',
    toolUses: (message.tool_calls ?? []).flatMap(({ id, function: called }) =>
      called ? [{ id, name: called.name, arguments: called.arguments }] : [],
    ),
  }
}

/** The answer as far as the stream was recorded. */
function readStreamedAnswer(response: string, record: RequestRecord): Answer | null {
  if (isErrorEnvelope(parseJson(response))) return null
  let answer = newAnswer(0, '')
  const change = (part: Partial<Answer>) => {
    answer = { ...answer, ...part }
  }
  const parser = createParser({
    onEvent({ data }) {
      if (answer.state !== 'streaming') return
      if (data === DONE) return change({ state: 'done' })
      try {
        for (const part of readChunk(data, record.id).parts) change(applyPart(answer, part, 0))
      } catch (thrown) {
        change(interruptAnswer(answer, toApiError(thrown), false, 0))
      }
    },
  })
  // The parser emits an event at the blank line after it, and the recording may end without one.
  parser.feed(`${response}\n\n`)
  if (answer.state === 'streaming') change(describeInterruption(answer, record))
  return answer
}

function describeInterruption(answer: Answer, { status, error }: RequestRecord): Partial<Answer> {
  if (status === 'canceled' || error === null) return { state: 'stopped' }
  return interruptAnswer(answer, new ApiError({ status: 200, ...error }), false, 0)
}

function parseJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
