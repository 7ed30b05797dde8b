import { SseReader } from '../../../framing/sse.ts'

export interface Sent {
  event: string | null
  data: unknown
}

/** The events that a client reads from a stream. */
export function readEvents(text: string): Sent[] {
  const sse = new SseReader()
  return [...sse.read(Buffer.from(text)), ...sse.end()].flatMap((item): Sent[] =>
    item.type === 'event' ? [{ event: item.event, data: JSON.parse(item.data) }] : [],
  )
}
