import type { FormatCodec, ModelListAddress, UpstreamModel } from '../formats/chat/codec-types.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { codecFor, getCodec } from '../formats/codecs.ts'
import { parseJson } from '../formats/json/json.ts'
import { type DetailsRequest, detailsRequests, type LocalDetails } from '../formats/openai-chat/models.ts'
import type { ModelListCall, ModelSource } from './adapter.ts'
import type { UpstreamPool } from './connection-pool.ts'
import { toUpstreamFailure } from './network-failure.ts'
import { readJson } from './read-json.ts'
import { listSecrets, redactFailure } from './redact.ts'
import { requestHeaders } from './request-headers.ts'
import { readText, sendRequest } from './upstream-response.ts'
import { Watchdog } from './watchdog.ts'

const MAX_LIST_BYTES = 16 * 1024 * 1024
const MAX_MODELS = 5000
const MAX_PAGES = 50

/** `UpstreamAdapter.listModels` over HTTP: at most 5,000 models. */
export async function listHttpModels(
  { source, credential, signal }: ModelListCall,
  pool: UpstreamPool,
): Promise<UpstreamModel[]> {
  const codec = codecFor(source)
  const watchdog = new Watchdog(signal, source.totalTimeoutMs, Infinity, pool.clock)
  const readPage = (url: string) => {
    const request = { method: 'GET' as const, url, headers: { accept: 'application/json' }, body: null }
    return readJson(request, MAX_LIST_BYTES, { endpoint: source, credential, pool, watchdog })
  }
  const lists = getModelLists(source)
  const models = new Map<string, UpstreamModel>()
  try {
    for (const list of lists) await readAllPages(list, { codec, readPage, models })
    return [...models.values()]
  } catch (error) {
    throw redactFailure(toUpstreamFailure(error, watchdog), listSecrets(source, credential))
  } finally {
    watchdog.dispose()
  }
}

export function getModelLists(
  source: Pick<ModelSource, 'apiFormat' | 'hosting' | 'baseUrl' | 'modelsPath'>,
): readonly ModelListAddress[] {
  const { baseUrl, modelsPath } = source
  const codec = codecFor(source)
  return codec.modelLists?.(baseUrl) ?? [{ url: baseUrl + (modelsPath ?? codec.modelsPath) }]
}

interface PageReading {
  codec: FormatCodec
  readPage: (url: string) => Promise<unknown>
  /** Where the models are added, by their ids. */
  models: Map<string, UpstreamModel>
}

async function readAllPages(
  { url: first, emptyAt = [] }: ModelListAddress,
  { codec, readPage, models }: PageReading,
): Promise<void> {
  let url = first
  for (let page = 0; page < MAX_PAGES && models.size < MAX_MODELS; page += 1) {
    const body = await readPage(url).catch((error: unknown) => {
      const isEmpty =
        error instanceof UpstreamFailure && error.status !== null && emptyAt.includes(error.status)
      if (!isEmpty) throw error
      return null
    })
    if (body === null && emptyAt.length > 0) return
    const rows = codec.models(body, MAX_MODELS - models.size)
    if (!rows) {
      throw new UpstreamFailure({
        kind: 'malformed',
        reason: body === undefined ? 'not-json' : null,
        message: 'The answer is not a list of models.',
      })
    }
    for (const row of rows) if (!models.has(row.id)) models.set(row.id, row)
    const next = codec.nextPage(body)
    if (next === null) return
    url = `${first}${first.includes('?') ? '&' : '?'}${next}`
  }
}

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
  const fixedHeaders = { accept: 'application/json', ...type }
  const request = {
    method: body === null ? ('GET' as const) : ('POST' as const),
    url: source.baseUrl.replace(/\/v1$/, '') + path,
    headers: fixedHeaders,
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
