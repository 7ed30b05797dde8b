// Owns the reading of a provider's own list of models, and with it the test of a provider. Knows nothing of the
// catalogue that the list goes into.

import type { FormatCodec, UpstreamModel } from '../formats/codec.ts'
import { codecOf } from '../formats/codecs.ts'
import { parseJson } from '../formats/json.ts'
import type { Target } from '../formats/target.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import { sandboxModels } from '../sandbox/models.ts'
import type { UpstreamPool } from './connection-pool.ts'
import { failureOf, type Reply, readText, send } from './exchange.ts'
import { callHeaders, redactFailure, statusFailure } from './http-call.ts'
import { secretsOf } from './redact.ts'
import { Watchdog } from './watchdog.ts'

export type { UpstreamModel } from '../formats/codec.ts'

/** What of a target is needed to ask for its models. */
export type ModelSource = Pick<
  Target,
  | 'providerId'
  | 'apiFormat'
  | 'baseUrl'
  | 'headers'
  | 'connectTimeoutMs'
  | 'firstByteTimeoutMs'
  | 'stallTimeoutMs'
  | 'totalTimeoutMs'
>

const MAX_LIST_BYTES = 16 * 1024 * 1024
const MAX_MODELS = 5000
const MAX_PAGES = 50

/** The models the provider says it has, each id once, at most 5,000. Throws UpstreamFailure, redacted. */
export async function listUpstreamModels(
  source: ModelSource,
  credential: string | null,
  signal: AbortSignal,
  pool: UpstreamPool,
): Promise<UpstreamModel[]> {
  if (source.apiFormat === 'sandbox')
    return sandboxModels.map((model) => ({ ...model, capabilities: [...model.capabilities] }))
  const codec = codecOf(source.apiFormat)
  const secrets = secretsOf(source, credential)
  const watchdog = new Watchdog(signal, source.totalTimeoutMs)
  const models = new Map<string, UpstreamModel>()
  let path = codec.modelsPath
  try {
    for (let page = 0; page < MAX_PAGES && models.size < MAX_MODELS; page += 1) {
      const body = await readPage(source, codec, path, credential, pool, watchdog)
      const rows = codec.models(body, MAX_MODELS - models.size)
      if (!rows)
        throw new UpstreamFailure({ kind: 'malformed', message: 'The answer is not a list of models.' })
      for (const row of rows) if (!models.has(row.id)) models.set(row.id, row)
      const next = codec.nextPage(body)
      if (next === null) break
      path = `${codec.modelsPath}${codec.modelsPath.includes('?') ? '&' : '?'}${next}`
    }
    return [...models.values()]
  } catch (error) {
    throw redactFailure(failureOf(error, watchdog), secrets)
  } finally {
    watchdog.dispose()
  }
}

async function readPage(
  source: ModelSource,
  codec: FormatCodec,
  path: string,
  credential: string | null,
  pool: UpstreamPool,
  watchdog: Watchdog,
): Promise<unknown> {
  watchdog.expect('nothing', source.firstByteTimeoutMs)
  let reply: Reply | null = null
  try {
    const headers = callHeaders(codec, source, credential, { accept: 'application/json' })
    const url = source.baseUrl + path
    reply = await send(
      { method: 'GET', url, headers, body: null, connectTimeoutMs: source.connectTimeoutMs },
      pool,
      watchdog,
    )
    if (reply.status < 200 || reply.status > 299) throw await statusFailure(reply, codec, watchdog)
    watchdog.expect('no more of its answer', source.stallTimeoutMs)
    return parseJson(await readText(reply.body, MAX_LIST_BYTES, watchdog))
  } catch (error) {
    reply?.body.destroy()
    throw error
  }
}
