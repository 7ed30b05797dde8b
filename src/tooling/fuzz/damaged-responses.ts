// Damages a provider's response: its structure, its bytes, its HTTP, or the end of the connection.
import type { Random } from '../../gateway/testing/random.ts'
import {
  corruptValue,
  damageBytes,
  duplicateMember,
  frameChunk,
  type Json,
  parseJson,
  replaceMember,
} from './odd-values.ts'
import type { Recordings } from './recordings.ts'

/** The parts sent over the connection, and how it ends. */
export interface Script {
  parts: readonly Buffer[]
  end: 'keep' | 'close' | 'reset' | 'hold'
}

/** Members that costs are computed from, or that are stored. */
const COUNTS = /token|usage|cost|index|code|status|reason/i

const STATUSES = [
  ...[201, 202, 204, 206, 301, 304, 307, 400, 401, 402, 403, 404, 408, 409, 413, 418, 422],
  ...[429, 500, 501, 502, 503, 504, 529, 599],
]
const TYPES = [
  'application/json',
  'text/event-stream',
  'text/html',
  'text/plain',
  '',
  'application/x-ndjson',
  'application/vnd.amazon.eventstream',
]
const RETRY_AFTER = ['0', '-1', '1e9', 'abc', '99999999999999999999', 'Wed, 21 Oct 2015 07:28:00 GMT', '0.01']

/** A correct response, for attempts that should succeed. */
export function correctResponse(recordings: Recordings, stream: boolean): Script {
  const body = stream ? recordings.encodeStream(recordings.goodStream) : recordings.goodPlain
  return {
    parts: [head(200, contentType(recordings, stream), `content-length: ${body.length}`), body],
    end: 'keep',
  }
}

export function damagedResponse(recordings: Recordings, stream: boolean, random: Random): Script {
  const isStream = stream && random.chance(0.93)
  const recorded = random.any(isStream ? recordings.stream : recordings.plain)
  let body = random.chance(0.75) ? corruptBody(recorded, random) : recorded
  if (isStream) body = recordings.encodeStream(body)
  if (random.chance(0.3)) body = damageBytes(body, random)
  const status = random.chance(0.88) ? 200 : random.any(STATUSES)
  const type = random.chance(0.88) ? contentType(recordings, stream) : random.any(TYPES)
  if (random.chance(0.02)) return { parts: [strangeHead(random), body], end: 'close' }
  const { framing, framed } = frameBody(body, random)
  const retryAfter = status >= 400 && random.chance(0.3) ? `retry-after: ${random.any(RETRY_AFTER)}` : null
  const soon = status >= 400 && retryAfter === null ? 'retry-after-ms: 1' : null
  const bytes = Buffer.concat([head(status, type, framing, retryAfter, soon), framed])
  const end = random.chance(0.85) ? 'keep' : random.any(['close', 'reset', 'reset', 'close', 'hold'] as const)
  const sent = end === 'keep' ? bytes : bytes.subarray(0, random.below(bytes.length + 1))
  return { parts: splitIntoParts(sent, random), end: framing === null && end === 'keep' ? 'close' : end }
}

function contentType({ streamType }: Recordings, stream: boolean): string {
  return stream ? streamType : 'application/json'
}

function head(status: number, type: string, ...lines: readonly (string | null)[]): Buffer {
  const all = [`HTTP/1.1 ${status} Reason`, type === '' ? null : `content-type: ${type}`, ...lines]
  return Buffer.from(`${all.filter((line) => line !== null).join('\r\n')}\r\n\r\n`)
}

function strangeHead(random: Random): Buffer {
  return Buffer.from(
    random.any([
      'HTTP/9.9 200 OK\r\n\r\n',
      'HTTP/1.1 200\r\n\r\n',
      'HTTP/1.1 99999 OK\r\n\r\n',
      'ICY 200 OK\r\n\r\n',
      '\0\0\0\0',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
      'HTTP/1.1 200 OK\r\nbad header\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-type: application/json\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-16\r\n\r\n',
    ]),
  )
}

function corruptBody(recorded: Buffer, random: Random): Buffer {
  const text = recorded.toString('utf8')
  const json = parseJson(text)
  if (json !== undefined) return Buffer.from(corruptText(json, random))
  const blocks = text.split(/(?<=\r\n\r\n|\n\n|\r\r)/)
  for (let times = random.between(1, 3); times > 0; times--) {
    const at = random.below(blocks.length)
    const block = blocks[at] ?? ''
    const changed = block.replace(/^(data: ?)(\{.*\})/m, (all, prefix: string, data: string) => {
      const value = parseJson(data)
      return value === undefined ? all : prefix + corruptText(value, random)
    })
    blocks[at] = changed === block ? block + block : changed
    if (random.chance(0.08)) blocks.splice(at, 1)
    if (random.chance(0.08)) blocks.splice(random.below(blocks.length), 0, changed)
  }
  return Buffer.from(blocks.join(''))
}

function corruptText(value: Json, random: Random): string {
  let changed = value
  for (let times = random.between(1, 2); times > 0; times--) {
    changed = random.chance(0.3) ? replaceMember(changed, COUNTS, random) : corruptValue(changed, random)
  }
  const text = JSON.stringify(changed)
  return random.chance(0.08) ? duplicateMember(text, random) : text
}

/** The body with its framing, correct or not, and the header for it; null: the body ends with the connection. */
function frameBody(body: Buffer, random: Random): { framing: string | null; framed: Buffer } {
  switch (random.below(12)) {
    case 0:
      return { framing: null, framed: body }
    case 1:
      return { framing: `content-length: ${random.below(body.length + 50)}`, framed: body }
    case 2:
    case 3:
    case 4: {
      const chunks = splitIntoParts(body, random).filter((part) => part.length > 0)
      const last = random.chance(0.9) ? '0\r\n\r\n' : random.any(['', '0\r\n', 'xyz\r\n', '-5\r\n'])
      return {
        framing: 'transfer-encoding: chunked',
        framed: Buffer.concat([...chunks.map(frameChunk), Buffer.from(last)]),
      }
    }
    default:
      return { framing: `content-length: ${body.length}`, framed: body }
  }
}

function splitIntoParts(bytes: Buffer, random: Random): Buffer[] {
  const cuts = Array.from({ length: random.below(6) }, () => random.below(bytes.length + 1)).sort(
    (a, b) => a - b,
  )
  return [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length))
}
