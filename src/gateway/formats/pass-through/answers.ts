// Reads the streams of OpenAI's audio endpoints, whose events are passed through. Sources: OpenAI's API reference
// (`speech.audio.*`, `transcript.text.*`); vLLM, whose events are chunks with a last one for the usage, then `[DONE]`.
import type { StreamParser } from '../chat/codec-types.ts'
import type { ChatEvent, PlainAnswer, SseEvent } from '../chat/events.ts'
import { malformedAnswer, type UpstreamFailure } from '../chat/failure.ts'
import { type RawAnswer, SOUND_HEAD_BYTES, type Sound, type UsageReader } from '../chat/pass-through.ts'
import { isGiven, isObject, type JsonObject, parseJson } from '../json/json.ts'
import { readFailure } from '../openai-chat/errors.ts'

/** The last event of an answer; others may follow. */
const LAST = /\.done$/

export class PassThroughStreamParser implements StreamParser {
  /** Every event counts as the answer's: nothing is read from it but its usage. */
  readonly hiddenProgress = true
  readonly #readRaw: UsageReader
  hasFinished = false
  readonly #sound: Sound = { head: Buffer.alloc(0), length: 0, mediaType: '' }
  /** The last event with a usage, as JSON. */
  #report = '{}'

  constructor(readRaw: UsageReader) {
    this.#readRaw = readRaw
  }

  event({ event, data }: SseEvent): ChatEvent[] {
    if (data === '[DONE]') {
      this.hasFinished = true
      return this.#finish()
    }
    const value = parseJson(data)
    if (!isObject(value)) return [fail(malformedAnswer('An event of the stream is not JSON.'))]
    if (event === 'error' || value.type === 'error' || isObject(value.error))
      return [fail(readFailure(value))]
    if (isObject(value.usage)) this.#report = data
    if (typeof value.audio === 'string') this.#hear(Buffer.from(value.audio, 'base64'))
    if (this.#isLast(value)) this.hasFinished = true
    return []
  }

  end(): ChatEvent[] {
    if (this.hasFinished) return this.#finish()
    return [fail(malformedAnswer('The stream ended without its last event.'))]
  }

  #isLast({ type }: JsonObject): boolean {
    return typeof type === 'string' && LAST.test(type)
  }

  #hear(audio: Buffer): void {
    if (this.#sound.length === 0) this.#sound.head = audio.subarray(0, SOUND_HEAD_BYTES)
    this.#sound.length += audio.byteLength
  }

  #finish(): ChatEvent[] {
    const usage = this.#readRaw({
      bytes: Buffer.from(this.#report),
      mediaType: 'application/json',
      sound: this.#sound,
    })
    return usage ? [{ type: 'usage', usage }, { type: 'done' }] : [{ type: 'done' }]
  }
}

function fail(failure: UpstreamFailure): ChatEvent {
  return { type: 'failed', failure }
}

/** The unchanged answer. Throws UpstreamFailure for JSON that is damaged or an error. */
export function rawAnswer(raw: RawAnswer, model: string, readRaw: UsageReader): PlainAnswer {
  if (/^application\/(.*\+)?json\b/i.test(raw.mediaType)) {
    const value = parseJson(raw.bytes.toString('utf8'))
    if (value === undefined) throw malformedAnswer('The answer is not valid JSON.')
    if (isObject(value) && isGiven(value.error)) throw readFailure(value)
  }
  return {
    kind: 'plain',
    completion: { id: '', object: 'chat.completion', created: 0, model, choices: [] },
    usage: readRaw(raw),
    raw,
  }
}
