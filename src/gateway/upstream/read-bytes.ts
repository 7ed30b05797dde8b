import type { ChatEvent, StreamAnswer } from '../formats/chat/events.ts'
import { SOUND_HEAD_BYTES, type Sound } from '../formats/chat/pass-through.ts'
import type { ReportedUsage } from '../formats/chat/usage.ts'
import { type AnswerSource, type BatchParser, openBatches } from './event-batches.ts'

interface BytesSource extends AnswerSource {
  stallTimeoutMs: number
  mediaType: string
  /** What the answer has used, once it is complete. */
  readUsage(sound: Sound): ReportedUsage | null
}

/** Like `openStream`, for an answer that is passed through as bytes. */
export async function openBytes(source: BytesSource): Promise<StreamAnswer> {
  const events = await openBatches(source, new BytesParser(source))
  return { kind: 'stream', events, unchanged: { mediaType: source.mediaType } }
}

class BytesParser implements BatchParser {
  readonly #source: BytesSource
  readonly #sound: Sound
  hasBegun = false

  constructor(source: BytesSource) {
    this.#source = source
    this.#sound = { head: Buffer.alloc(0), length: 0, mediaType: source.mediaType }
  }

  read(bytes: Buffer): ChatEvent[] {
    const { watchdog, stallTimeoutMs } = this.#source
    if (this.hasBegun) watchdog.progress()
    else watchdog.expect('no more of its answer', stallTimeoutMs)
    this.hasBegun = true
    if (this.#sound.length === 0) this.#sound.head = Buffer.from(bytes.subarray(0, SOUND_HEAD_BYTES))
    this.#sound.length += bytes.byteLength
    return [{ type: 'bytes', bytes }]
  }

  end(): ChatEvent[] {
    const usage = this.#source.readUsage(this.#sound)
    return usage ? [{ type: 'usage', usage }, { type: 'done' }] : [{ type: 'done' }]
  }
}
