// Writes the stream of an answer for its client.
import type { ErrorBody } from '../../../shared/api/errors.ts'
import type { ChatUsage } from '../../../shared/formats/chat-completion.ts'
import type { AnswerContext, ClientCodec, StreamWriter } from './codec-types.ts'
import type { AnswerMode, ChatEvent, StreamAnswer } from './events.ts'
import { StreamNormalizer } from './normalize.ts'

type AddCost = Extract<AnswerMode, { kind: 'native' }>['addCost']
type NativeEvent = Extract<ChatEvent, { type: 'native' }>

/** Turns the chat events of an answer into the text of the client's stream. */
export interface AnswerWriter {
  /** The properties of streams in the client's format. */
  readonly stream: { readonly mediaType?: string; readonly keepAlive?: string | null }
  /** The chat events to measure and to write instead of the upstream's. */
  normalize(event: ChatEvent): readonly ChatEvent[]
  /** The encoded event, which may be empty. */
  write(event: ChatEvent): string | Buffer
  /** The rest of a complete answer. */
  end(usage: ChatUsage): string
  /** The rest of a failed answer; null if it has no place for an error. */
  fail(error: ErrorBody, status: number): string | null
}

/** Forwards the upstream's own events and bytes unchanged. */
export function createAnswerWriter(
  codec: ClientCodec,
  context: AnswerContext,
  mode: AnswerMode,
  { unchanged }: Pick<StreamAnswer, 'unchanged'>,
): AnswerWriter {
  if (typeof unchanged === 'object') return createBytesWriter(unchanged.mediaType)
  const writer = codec.streamWriter(context)
  if (!unchanged) return createTranslatedWriter(writer, context)
  return createNativeWriter(writer, mode.kind === 'native' ? mode.addCost : null)
}

/** Bytes have no place for comments, a cost or an error. */
function createBytesWriter(mediaType: string): AnswerWriter {
  return {
    stream: { mediaType, keepAlive: null },
    normalize: (event) => [event],
    write: (event) => (event.type === 'bytes' ? event.bytes : ''),
    end: () => '',
    fail: () => null,
  }
}

function createTranslatedWriter(
  writer: StreamWriter,
  { requestId, model, created }: AnswerContext,
): AnswerWriter {
  const normalizer = new StreamNormalizer({ id: requestId, model, created })
  return {
    stream: writer,
    normalize: (event) => normalizer.next(event),
    write(event) {
      if (event.type === 'chunk') return writer.chunk(event.chunk, event.raw, event.pieces)
      if (event.type === 'usage' && event.members) writer.recordUsageMembers?.(event.members)
      return ''
    },
    end: (usage) => writer.end(usage),
    fail: (error, status) => writer.fail(error, status),
  }
}

/** Characters of events that wait for the cost; a provider that goes on after the end does not fill the memory. */
const MAX_HELD = 1_000_000

/** Forwards events unchanged. Those from the finish reason on wait for the cost, which goes into their usage. */
function createNativeWriter(writer: StreamWriter, addCost: AddCost | null): AnswerWriter {
  let held: NativeEvent[] = []
  let heldLength = 0
  let isFinished = false
  const format = ({ event, data }: NativeEvent) => writer.nativeEvent?.(data) ?? formatSseEvent(event, data)
  const release = (): string => {
    if (held.length === 0) return ''
    const events = held
    held = []
    heldLength = 0
    return events.map(format).join('')
  }
  /** Adds the cost to the last event that has usage. */
  const addCostToLast = (cost: number): void => {
    for (const [at, event] of [...held.entries()].toReversed()) {
      const data = addCost ? addCost(event.data, cost) : event.data
      if (data === event.data) continue
      held[at] = { ...event, data }
      return
    }
  }
  return {
    stream: writer,
    normalize: (event) => [event],
    write(event) {
      if (event.type === 'chunk') {
        // Another choice may still be written after one has finished.
        isFinished = event.chunk.choices.some(({ finish_reason: reason }) => reason !== null)
      }
      if (event.type !== 'native') return ''
      if (!isFinished && !event.final) return release() + format(event)
      const released = heldLength > MAX_HELD ? release() : ''
      held.push(event)
      heldLength += event.data.length
      return released
    },
    end({ cost }) {
      if (cost !== undefined) addCostToLast(cost)
      return release() + (writer.nativeEnd?.() ?? '')
    },
    fail: (error, status) => writer.fail(error, status),
  }
}

function formatSseEvent(event: string | null, data: string): string {
  const lines = data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data
  return `${event === null ? '' : `event: ${event}\n`}data: ${lines}\n\n`
}
