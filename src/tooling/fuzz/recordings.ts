import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { encodeConverseStream, encodeEventStream } from '../../gateway/formats/testing/event-stream.ts'
import { API_FORMATS, type ApiFormat } from '../../shared/api/providers.ts'

const FOLDER = resolve(import.meta.dirname, '../../gateway/formats')

/** The responders: a provider of each format, and Claude on Amazon Bedrock, whose streams are binary too. */
export const SOURCES = [...API_FORMATS, 'bedrock'] as const
export type Source = (typeof SOURCES)[number]

export function findFormat(source: Source): ApiFormat {
  return source === 'bedrock' ? 'anthropic-messages' : source
}

export interface Recordings {
  plain: readonly Buffer[]
  stream: readonly Buffer[]
  /** A complete response. */
  goodPlain: Buffer
  goodStream: Buffer
  /** The media type of a stream. */
  streamType: string
  /** The bytes of a stream whose events are in this text. */
  encodeStream(text: Buffer): Buffer
}

const encoders: Partial<Record<Source, Recordings['encodeStream']>> = {
  bedrock: (text) => encodeEventStream(text.toString('utf8')),
  'bedrock-converse': encodeConverseStream,
}

export function readRecordings(source: Source): Recordings {
  const folder = join(FOLDER, findFormat(source), 'fixtures')
  const read = (name: string) => readFileSync(join(folder, name))
  const all = (prefix: string) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(prefix))
      .map(read)
  return {
    plain: [...all('plain'), ...all('error')],
    stream: all('stream'),
    goodPlain: read('plain.txt'),
    goodStream: read('stream.txt'),
    streamType: source.startsWith('bedrock') ? 'application/vnd.amazon.eventstream' : 'text/event-stream',
    encodeStream: encoders[source] ?? ((text) => text),
  }
}
