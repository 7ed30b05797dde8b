import type { FormatCodec, UpstreamModel } from '../formats/codec.ts'
import { codecOf } from '../formats/codecs.ts'
import { parseJson } from '../formats/json.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import type { ModelListCall } from './adapter.ts'
import type { UpstreamPool } from './connection-pool.ts'
import { type HttpRequest, isSuccess, readText, sendRequest } from './exchange.ts'
import { toUpstreamFailure } from './network-failure.ts'
import { redactFailure, secretsOf } from './redact.ts'
import { requestHeaders } from './request-headers.ts'
import { readStatusFailure } from './status-failure.ts'
import { Watchdog } from './watchdog.ts'

const MAX_LIST_BYTES = 16 * 1024 * 1024
const MAX_MODELS = 5000
const MAX_PAGES = 50

/** `UpstreamAdapter.listModels` over HTTP: at most 5,000 models. */
export async function listHttpModels(
  { source, credential, signal }: ModelListCall,
  pool: UpstreamPool,
): Promise<UpstreamModel[]> {
  const codec = codecOf(source.apiFormat)
  const watchdog = new Watchdog(signal, source.totalTimeoutMs)
  const readPage = async (path: string): Promise<unknown> => {
    watchdog.expect('nothing', source.firstByteTimeoutMs)
    const request: HttpRequest = {
      method: 'GET',
      url: source.baseUrl + path,
      headers: requestHeaders(codec, source, credential, { accept: 'application/json' }),
      body: null,
      connectTimeoutMs: source.connectTimeoutMs,
    }
    const response = await sendRequest(request, pool, watchdog)
    try {
      if (!isSuccess(response)) throw await readStatusFailure(response, codec, watchdog)
      watchdog.expect('no more of its answer', source.stallTimeoutMs)
      return parseJson(await readText(response.body, MAX_LIST_BYTES, watchdog))
    } catch (error) {
      response.body.destroy()
      throw error
    }
  }
  try {
    return await readAllPages(codec, readPage)
  } catch (error) {
    throw redactFailure(toUpstreamFailure(error, watchdog), secretsOf(source, credential))
  } finally {
    watchdog.dispose()
  }
}

async function readAllPages(
  codec: FormatCodec,
  readPage: (path: string) => Promise<unknown>,
): Promise<UpstreamModel[]> {
  const models = new Map<string, UpstreamModel>()
  let path = codec.modelsPath
  for (let page = 0; page < MAX_PAGES && models.size < MAX_MODELS; page += 1) {
    const body = await readPage(path)
    const rows = codec.models(body, MAX_MODELS - models.size)
    if (!rows)
      throw new UpstreamFailure({ kind: 'malformed', message: 'The answer is not a list of models.' })
    for (const row of rows) if (!models.has(row.id)) models.set(row.id, row)
    const next = codec.nextPage(body)
    if (next === null) break
    path = `${codec.modelsPath}${codec.modelsPath.includes('?') ? '&' : '?'}${next}`
  }
  return [...models.values()]
}
