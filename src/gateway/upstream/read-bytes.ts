import type { ChatEvent, StreamAnswer } from '../formats/events.ts'
import type { ReportedUsage } from '../formats/token-usage.ts'
import { type AnswerSource, begin, readEvents } from './read-stream.ts'

interface BytesSource extends AnswerSource {
  mediaType: string
  /** What the answer has used, once it is complete. */
  readUsage(): ReportedUsage | null
}

/** Like `openStream`, for an answer that is passed through as bytes. */
export async function openBytes(source: BytesSource): Promise<StreamAnswer> {
  const { watchdog, stallTimeoutMs, mediaType } = source
  const events = await begin(readEvents(source, passBytes(source)), {
    expectMore: () => watchdog.expect('no more of its answer', stallTimeoutMs),
    hasBegun: ({ type }) => type === 'bytes',
  })
  return { kind: 'stream', events, bytes: { mediaType } }
}

async function* passBytes({ body, watchdog, readUsage }: BytesSource): AsyncGenerator<ChatEvent, void, void> {
  for await (const part of body.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = part
    watchdog.progress()
    yield { type: 'bytes', bytes }
  }
  if (watchdog.failure) throw watchdog.failure
  const usage = readUsage()
  if (usage) yield { type: 'usage', usage }
  yield { type: 'done' }
}
