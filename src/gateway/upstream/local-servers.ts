import type { UpstreamModel } from '../formats/chat/codec-types.ts'
import { getCodec } from '../formats/codecs.ts'
import { parseJson } from '../formats/json/json.ts'
import { type DetailsRequest, detailsRequests, type LocalDetails } from '../formats/openai-chat/models.ts'
import type { ModelListCall, ModelSource } from './adapter.ts'
import type { UpstreamPool } from './connection-pool.ts'
import { listHttpModels } from './list-models.ts'
import { requestHeaders } from './request-headers.ts'
import { readText, sendRequest } from './upstream-response.ts'
import { Watchdog } from './watchdog.ts'

/** A running server on this machine accepts a connection immediately. */
const PROBE_MS = 1_000
const DETAILS_MS = 5_000
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const MAX_QUESTIONS = 200
const CONCURRENCY = 4

/** How many models the server at `baseUrl` has; null when none answers within a second with a list of models. */
export async function probeLocal(
  server: { id: string; baseUrl: string },
  pool: UpstreamPool,
): Promise<number | null> {
  const source: ModelSource = {
    providerId: server.id,
    apiFormat: 'openai-chat',
    baseUrl: server.baseUrl,
    hosting: null,
    authorization: null,
    headers: {},
    network: 'direct',
    connectTimeoutMs: PROBE_MS,
    firstByteTimeoutMs: PROBE_MS,
    stallTimeoutMs: PROBE_MS,
    totalTimeoutMs: PROBE_MS,
  }
  const call = { source, credential: null, signal: new AbortController().signal }
  const models = await listHttpModels(call, pool).catch(() => null)
  return models?.length ?? null
}

/** Adds what the server itself knows of its models. Those it does not answer for within 5 s stay as they are. */
export async function addLocalDetails(
  models: readonly UpstreamModel[],
  kind: LocalDetails,
  call: ModelListCall,
  pool: UpstreamPool,
): Promise<UpstreamModel[]> {
  const watchdog = new Watchdog(call.signal, DETAILS_MS)
  const questions = detailsRequests(kind, models).slice(0, MAX_QUESTIONS)
  let detailed = [...models]
  const work = async (): Promise<void> => {
    for (let question = questions.shift(); question; question = questions.shift()) {
      const answer = await ask(question, call, pool, watchdog).catch(() => null)
      if (answer !== null) detailed = question.read(answer, detailed)
    }
  }
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
    return detailed
  } finally {
    watchdog.dispose()
  }
}

async function ask(
  { path, body }: DetailsRequest,
  { source, credential }: ModelListCall,
  pool: UpstreamPool,
  watchdog: Watchdog,
): Promise<unknown> {
  const type = body === null ? {} : { 'content-type': 'application/json' }
  const own = { accept: 'application/json', ...type }
  const request = {
    method: body === null ? ('GET' as const) : ('POST' as const),
    url: source.baseUrl.replace(/\/v1$/, '') + path,
    headers: own,
    body: body === null ? null : JSON.stringify(body),
    connectTimeoutMs: source.connectTimeoutMs,
    network: source.network,
  }
  const codec = getCodec('openai-chat')
  const headers = await requestHeaders(request, { codec, endpoint: source, credential, pool, watchdog })
  const response = await sendRequest({ ...request, headers }, pool, watchdog)
  if (response.status !== 200) {
    response.destroy()
    return null
  }
  return parseJson(await readText(response, MAX_ANSWER_BYTES, watchdog))
}
