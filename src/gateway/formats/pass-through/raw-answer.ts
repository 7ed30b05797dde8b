import type { PlainAnswer } from '../chat/events.ts'
import { UpstreamFailure } from '../chat/failure.ts'
import type { RawAnswer, ReadRaw } from '../chat/pass-through.ts'
import { isObject, parseJson } from '../json/json.ts'
import { readFailure } from '../openai-chat/errors.ts'

/** The answer as it came. Throws UpstreamFailure for JSON that is damaged or an error. */
export function rawAnswer(raw: RawAnswer, model: string, readRaw: ReadRaw): PlainAnswer {
  if (/^application\/(.*\+)?json\b/i.test(raw.mediaType)) {
    const value = parseJson(raw.bytes.toString('utf8'))
    if (value === undefined) {
      throw new UpstreamFailure({ kind: 'malformed', message: 'The answer is not valid JSON.' })
    }
    if (isObject(value) && value.error !== undefined && value.error !== null) throw readFailure(value)
  }
  return {
    kind: 'plain',
    completion: { id: '', object: 'chat.completion', created: 0, model, choices: [] },
    usage: readRaw(raw),
    raw,
  }
}
