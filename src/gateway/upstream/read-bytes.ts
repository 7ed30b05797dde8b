import type { ChatEvent, StreamAnswer } from '../formats/events.ts'
import type { ReportedUsage } from '../formats/token-usage.ts'
import { type AnswerSource, type BatchParser, openBatches } from './event-batches.ts'

interface BytesSource extends AnswerSource {
  stallTimeoutMs: number
  mediaType: string
  /** What the answer has used, once it is complete. */
  readUsage(): ReportedUsage | null
}

/** Like `openStream`, for an answer that is passed through as bytes. */
export async function openBytes(source: BytesSource): Promise<StreamAnswer> {
  const events = await openBatches(source, new BytesParser(source))
  return { kind: 'stream', events, bytes: { mediaType: source.mediaType } }
}

class BytesParser implements BatchParser {
  readonly #source: BytesSource
  hasBegun = false

  constructor(source: BytesSource) {
    this.#source = source
  }

  read(bytes: Buffer): ChatEvent[] {
    const { watchdog, stallTimeoutMs } = this.#source
    if (this.hasBegun) watchdog.progress()
    else watchdog.expect('no more of its answer', stallTimeoutMs)
    this.hasBegun = true
    return [{ type: 'bytes', bytes }]
  }

  end(): ChatEvent[] {
    const usage = this.#source.readUsage()
    return usage ? [{ type: 'usage', usage }, { type: 'done' }] : [{ type: 'done' }]
  }
}
