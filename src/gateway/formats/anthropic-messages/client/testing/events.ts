import { SseReader } from '../../../framing/sse.ts'

export interface SentEvent {
  event: string | null
  data: unknown
}

/** The events that a client reads from a stream. */
export function readEvents(text: string): SentEvent[] {
  const sse = new SseReader()
  return [...sse.read(Buffer.from(text)), ...sse.end()].flatMap((item): SentEvent[] =>
    item.type === 'event' ? [{ event: item.event, data: JSON.parse(item.data) }] : [],
  )
}
