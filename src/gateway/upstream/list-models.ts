// Owns the reading of a provider's own list of models, and with it the test of a provider. Knows nothing of the
// catalogue that the list goes into.

import { sandboxModels } from '../catalog/sandbox-models.ts'
import { parseJson } from '../wire/json.ts'
import { type UpstreamModel, wireOf } from '../wire/wire.ts'
import { callHeaders, redactFailure, statusFailure } from './attempt.ts'
import { failureOf, type Reply, readText, send } from './exchange.ts'
import { UpstreamFailure } from './failure.ts'
import type { UpstreamPool } from './pool.ts'
import type { Secrets } from './redact.ts'
import type { Target } from './target.ts'
import { Watchdog } from './watchdog.ts'

export type { UpstreamModel } from '../wire/wire.ts'

/** What of a target is needed to ask for its models. */
export type ModelSource = Pick<
  Target,
  | 'providerId'
  | 'wire'
  | 'baseUrl'
  | 'headers'
  | 'connectTimeoutMs'
  | 'firstByteTimeoutMs'
  | 'stallTimeoutMs'
  | 'totalTimeoutMs'
>

const MAX_LIST_BYTES = 16 * 1024 * 1024
const MAX_MODELS = 5000

/** The models the provider says it has, each id once, at most 5,000. Throws UpstreamFailure, redacted. */
export async function listUpstreamModels(
  source: ModelSource,
  credential: string | null,
  signal: AbortSignal,
  pool: UpstreamPool,
): Promise<UpstreamModel[]> {
  if (source.wire === 'sandbox')
    return sandboxModels.map((model) => ({ ...model, capabilities: [...model.capabilities] }))
  const wire = wireOf(source.wire)
  const secrets: Secrets = { credential, baseUrl: source.baseUrl, providerId: source.providerId }
  const watchdog = new Watchdog(signal, source.totalTimeoutMs)
  watchdog.expect('nothing', source.firstByteTimeoutMs)
  let reply: Reply | null = null
  try {
    const headers = callHeaders(wire, source, credential, { accept: 'application/json' })
    const url = source.baseUrl + wire.modelsPath
    reply = await send(
      { method: 'GET', url, headers, body: null, connectTimeoutMs: source.connectTimeoutMs },
      pool,
      watchdog,
    )
    if (reply.status < 200 || reply.status > 299) throw await statusFailure(reply, wire, watchdog)
    watchdog.expect('no more of its answer', source.stallTimeoutMs)
    const models = wire.models(parseJson(await readText(reply.body, MAX_LIST_BYTES, watchdog)), MAX_MODELS)
    if (!models)
      throw new UpstreamFailure({ kind: 'malformed', message: 'The answer is not a list of models.' })
    return models
  } catch (error) {
    reply?.body.destroy()
    throw redactFailure(failureOf(error, watchdog), secrets)
  } finally {
    watchdog.dispose()
  }
}
