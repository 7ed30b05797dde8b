import type { FormatCodec, ModelListAddress, UpstreamModel } from '../formats/chat/codec-types.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { codecFor } from '../formats/codecs.ts'
import type { ModelListCall, ModelSource } from './adapter.ts'
import type { UpstreamPool } from './connection-pool.ts'
import { toUpstreamFailure } from './network-failure.ts'
import { readJson } from './read-json.ts'
import { listSecrets, redactFailure } from './redact.ts'
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

/** Where the models are listed. */
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
