// Receives what agents send in OpenTelemetry's protocol: for use that cannot go through the gateway.
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { type FileBody, readFileBody } from '../../../../gateway/http/read-body.ts'
import type { RequestContext } from '../../../../gateway/http/request-context.ts'
import { writeResponse } from '../../../../gateway/http/send-response.ts'
import { invalidRequest } from '../../../../gateway/platform/errors.ts'
import type { EventHub } from '../../../../gateway/platform/events.ts'
import type { Log } from '../../../../gateway/platform/log.ts'
import type { Store } from '../../../../gateway/store/store.ts'
import { HistoryPrices, priceCall } from '../history-prices.ts'
import {
  type ExportAnswer,
  readJsonLogs,
  readProtobufLogs,
  writeJsonAnswer,
  writeProtobufAnswer,
} from './otlp-logs.ts'
import { readUsageEvent } from './usage-events.ts'

const MB = 1024 * 1024
const MAX_EXPANDED_BYTES = 32 * MB

const EXPORT_REQUEST: FileBody = {
  types: /^application\/(x-protobuf|json)\s*(;|$)/i,
  encodings: ['gzip'],
  maxBytes: 8 * MB,
  otherType:
    'The body must be an export of OTLP/HTTP: send "Content-Type: application/x-protobuf" or "application/json".',
  tooLarge: 'The export is larger than 8 MB. Send fewer records at a time.',
}

const REASON = 'These calls have no time, no model or no tokens.'
/** Twice as many as the SDKs send at a time. */
const MAX_CALLS = 1_000

interface Deps {
  store: Store
  events: EventHub
  log: Log
}

export class EventReceiver {
  readonly #deps: Deps
  #prices: HistoryPrices | null = null
  #hasNoted = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async receiveLogs(context: RequestContext): Promise<void> {
    const bytes = await readExport(context)
    const records = isJson(context) ? readJsonLogs(parse(bytes, parseJson)) : parse(bytes, readProtobufLogs)
    const rows = records.map(readUsageEvent).filter((row) => row !== null)
    const valid = rows.filter((row) => row !== 'invalid')
    if (valid.length > MAX_CALLS)
      throw invalidRequest(`The export has more than ${MAX_CALLS} calls. Send fewer at a time.`, {
        status: 413,
      })
    this.#prices ??= new HistoryPrices()
    const prices = this.#prices
    const calls = valid.map((row) => priceCall(row, prices))
    const added = calls.length === 0 ? 0 : await this.#deps.store.write('importEvents', calls)
    if (added > 0) this.#deps.events.publish('history', () => ({ type: 'history', running: null }))
    answer(context, { rejected: rows.length - valid.length, reason: REASON })
  }

  /** Says once that these are not used: agents send them with their events. */
  async ignore(context: RequestContext, what: 'metrics' | 'traces'): Promise<void> {
    await readExport(context)
    if (!this.#hasNoted)
      this.#deps.log.info(`An agent sends ${what}, which are not used: the calls are in its logs`)
    this.#hasNoted = true
    answer(context, { rejected: 0, reason: '' })
  }
}

/** Throws 400, 413, 415 and ClientDisconnected. */
async function readExport(context: RequestContext): Promise<Buffer> {
  const bytes = await buffer(readFileBody(context, EXPORT_REQUEST))
  const { 'content-encoding': encoding = 'identity' } = context.request.headers
  if (encoding.toLowerCase() !== 'gzip') return bytes
  return await promisify(gunzip)(bytes, { maxOutputLength: MAX_EXPANDED_BYTES }).catch((error: unknown) => {
    if (error instanceof RangeError)
      throw invalidRequest(
        'The export is larger than 32 MB when it is expanded. Send fewer records at a time.',
        {
          status: 413,
        },
      )
    throw invalidRequest('The body is not compressed with gzip, as its header says.')
  })
}

function isJson({ request }: RequestContext): boolean {
  return /^application\/json/i.test(request.headers['content-type'] ?? '')
}

function parseJson(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString('utf8'))
}

function parse<T>(bytes: Buffer, read: (bytes: Buffer) => T): T {
  try {
    return read(bytes)
  } catch {
    throw invalidRequest('The body is not an export request of OTLP/HTTP in the format of its content type.')
  }
}

/** In the format of the request. */
function answer(context: RequestContext, result: ExportAnswer): void {
  const [type, body] = isJson(context)
    ? ['application/json', writeJsonAnswer(result)]
    : ['application/x-protobuf', writeProtobufAnswer(result)]
  writeResponse(context, { status: 200, headers: { 'content-type': type }, body })
}
