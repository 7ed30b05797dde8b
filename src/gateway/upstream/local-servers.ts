// Owns the asking of local servers: which of them run, and what they say of their models beyond the plain list.
// Knows nothing of the catalogue.

import { codecOf } from '../formats/codecs.ts'
import { parseJson } from '../formats/json.ts'
import { type DetailsRequest, detailsRequests, type LocalDetails } from '../formats/local-servers.ts'
import type { UpstreamPool } from './connection-pool.ts'
import { readText, send } from './exchange.ts'
import { callHeaders } from './http-call.ts'
import { listUpstreamModels, type ModelSource, type UpstreamModel } from './list-models.ts'
import { Watchdog } from './watchdog.ts'

/** A server on this machine that runs accepts a connection at once. */
const PROBE_MS = 1_000
const DETAILS_MS = 5_000
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const MAX_QUESTIONS = 200
const AT_ONCE = 4

/** How many models the server at `baseUrl` has, or null when none answers within a second with a list of models. */
export async function probeLocal(
  server: { id: string; baseUrl: string },
  pool: UpstreamPool,
): Promise<number | null> {
  const source: ModelSource = {
    providerId: server.id,
    apiFormat: 'openai-chat',
    baseUrl: server.baseUrl,
    headers: {},
    connectTimeoutMs: PROBE_MS,
    firstByteTimeoutMs: PROBE_MS,
    stallTimeoutMs: PROBE_MS,
    totalTimeoutMs: PROBE_MS,
  }
  const models = await listUpstreamModels(source, null, new AbortController().signal, pool).catch(() => null)
  return models?.length ?? null
}

/** The models with what the server itself knows of them. What it does not answer within 5 s stays as the list said it. */
export async function withLocalDetails(
  kind: LocalDetails,
  models: readonly UpstreamModel[],
  source: ModelSource,
  credential: string | null,
  pool: UpstreamPool,
): Promise<UpstreamModel[]> {
  const watchdog = new Watchdog(new AbortController().signal, DETAILS_MS)
  const left = detailsRequests(kind, models).slice(0, MAX_QUESTIONS)
  let known = [...models]
  const work = async (): Promise<void> => {
    for (let question = left.shift(); question; question = left.shift()) {
      const answer = await ask(question, source, credential, pool, watchdog).catch(() => null)
      if (answer !== null) known = question.read(answer, known)
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return known
  } finally {
    watchdog.dispose()
  }
}

async function ask(
  { path, body }: DetailsRequest,
  source: ModelSource,
  credential: string | null,
  pool: UpstreamPool,
  watchdog: Watchdog,
): Promise<unknown> {
  const type = body === null ? {} : { 'content-type': 'application/json' }
  const reply = await send(
    {
      method: body === null ? 'GET' : 'POST',
      url: source.baseUrl.replace(/\/v1$/, '') + path,
      headers: callHeaders(codecOf('openai-chat'), source, credential, {
        accept: 'application/json',
        ...type,
      }),
      body: body === null ? null : JSON.stringify(body),
      connectTimeoutMs: source.connectTimeoutMs,
    },
    pool,
    watchdog,
  )
  if (reply.status !== 200) {
    reply.body.destroy()
    return null
  }
  return parseJson(await readText(reply.body, MAX_ANSWER_BYTES, watchdog))
}
