// OpenAI's batches.
import { randomBytes } from 'node:crypto'
import type { JsonObject } from '../../../gateway/formats/json/json.ts'
import type { Principal } from '../../../gateway/http/auth.ts'
import type { Call } from '../../../gateway/http/calls.ts'
import { invalidRequest } from '../../../gateway/platform/errors.ts'
import { Batch } from '../api/batches.ts'
import { toBatchModel } from './batch-price.ts'
import type { BatchModel, FileLine, StoredBatch, StoredFile } from './batch-rows.ts'
import { describeSender, enterSession, findListed, findPayer, isMissing, maySee } from './callers.ts'
import { abortedWith, type BatchFiles, type FileDeps } from './files.ts'
import { type Job, type JobDeps, type Jobs, unknownBatch } from './jobs.ts'
import { findKind, openaiBatches, viewBatch } from './kinds.ts'
import type { Poller } from './poller.ts'
import { LinePricer, type LineSender } from './price-lines.ts'
import { callProvider, isRefusal } from './provider-calls.ts'

export interface BatchServices {
  deps: FileDeps & JobDeps
  files: BatchFiles
  jobs: Jobs
  poller: Poller
}

const LINES_AT_A_TIME = 5_000

export async function createBatch(
  { body, principal, headers }: Call<'createBatch'>,
  services: BatchServices,
): Promise<Batch> {
  const { deps, files, jobs } = services
  const key = await findPayer(principal, deps)
  const file = await files.find(body.input_file_id, principal)
  if (file.batch !== null)
    throw invalidRequest('The file has the answers of a batch, not requests.', { param: 'input_file_id' })
  if (body.endpoint !== file.details.endpoint)
    throw invalidRequest(`The lines of the file have the "url" "${file.details.endpoint}".`, {
      param: 'endpoint',
    })
  const models = await findModels(file, describeSender(key, headers), services)
  const { provider, credential } = file
  const createdAt = deps.clock.now()
  const sent = { ...body, input_file_id: file.providerFile }
  const job = await jobs.reserve(
    {
      id: `batch_${randomBytes(16).toString('hex')}`,
      keyId: key.id,
      createdAt,
      provider,
      credential,
      object: {
        object: 'batch',
        status: 'validating',
        errors: null,
        metadata: null,
        ...sent,
        created_at: Math.floor(createdAt / 1000),
        request_counts: { total: file.details.lines, completed: 0, failed: 0 },
      },
      details: {
        endpoint: body.endpoint,
        inputFile: file.id,
        models,
        ...enterSession(key, headers, deps),
      },
    },
    await readLines(file, services),
    key,
  )
  const object = await startJob(job, services, () =>
    callProvider(
      file,
      {
        method: 'POST',
        path: openaiBatches.path,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sent),
        // A client that leaves does not end it: it would not be known whether it was created.
        signal: new AbortController().signal,
      },
      deps,
    ),
  )
  return Batch.parse(viewBatch({ ...job.batch, object }))
}

/**
 * Has the provider create a batch whose cost is reserved. It stays reserved if the outcome is not known: the poller looks for the
 * batch later.
 */
export async function startJob(
  job: Job,
  { jobs, poller }: BatchServices,
  create: () => Promise<JsonObject>,
): Promise<JsonObject> {
  try {
    const object = await create()
    await jobs.update(job, findKind(job.batch).describe(job.batch, object))
    return object
  } catch (error) {
    if (job.batch.providerBatch === null && isRefusal(error)) await jobs.remove(job)
    throw error
  } finally {
    job.isLive = false
    if (jobs.find(job.batch.id)) poller.watch(job)
  }
}

/** The models of a file, as they can be used now. Throws GatewayError for one that the key may no longer use. */
async function findModels(
  { details, provider }: StoredFile,
  sender: LineSender,
  { deps }: BatchServices,
): Promise<BatchModel[]> {
  const pricer = new LinePricer(deps, sender, 'openai')
  for (const name of details.models) await pricer.addModel(name, provider)
  return pricer.offers.map((offer) => toBatchModel(offer, deps.forecast))
}

async function readLines({ nr }: StoredFile, { deps }: BatchServices): Promise<FileLine[]> {
  const lines: FileLine[] = []
  for (let after = ''; ; ) {
    const page = await deps.store.read('readFileLines', nr, after, LINES_AT_A_TIME)
    lines.push(...page)
    const last = page.at(-1)
    if (!last || page.length < LINES_AT_A_TIME) break
    after = last.customId
  }
  return lines.sort((a, b) => a.line - b.line)
}

export async function getBatch(
  { id, principal, context }: Call<'getBatch'>,
  services: BatchServices,
): Promise<Batch> {
  const batch = await requireBatch(id, principal, services.deps)
  return Batch.parse(viewBatch(await refresh(batch, services, 'GET', '', abortedWith(context))))
}

export async function cancelBatch(
  { id, principal }: Pick<Call<'cancelBatch'>, 'id' | 'principal'>,
  services: BatchServices,
): Promise<Batch> {
  const batch = await requireBatch(id, principal, services.deps)
  return Batch.parse(viewBatch(await cancelStored(batch, services)))
}

/** Asks the provider to cancel it. */
export async function cancelStored(batch: StoredBatch, services: BatchServices): Promise<StoredBatch> {
  return await refresh(batch, services, 'POST', '/cancel', new AbortController().signal)
}

export async function listBatches(
  { principal, query: { limit, after } }: Call<'listBatches'>,
  { deps }: BatchServices,
): Promise<{ data: Batch[]; hasMore: boolean }> {
  const page = { keyId: findListed(principal), after, limit: limit + 1, prefix: 'batch_' }
  const batches = await deps.store.read('listBatches', page)
  return {
    data: batches.slice(0, limit).map((batch) => Batch.parse(viewBatch(batch))),
    hasMore: batches.length > limit,
  }
}

/** Throws 404 for one that another key has made. */
export async function requireBatch(
  id: string,
  principal: Principal,
  { store }: Pick<BatchServices['deps'], 'store'>,
): Promise<StoredBatch> {
  const batch = await store.read('getBatch', id)
  if (!batch || batch.state === 'preparing' || !maySee(principal, batch)) throw unknownBatch(id)
  return batch
}

/** The batch as its provider describes it now. One whose creation has no known outcome is shown as it was sent. */
export async function refresh(
  batch: StoredBatch,
  { deps, jobs, poller }: BatchServices,
  method: 'GET' | 'POST',
  action: string,
  signal: AbortSignal,
): Promise<StoredBatch> {
  const kind = findKind(batch)
  const job = jobs.find(batch.id)
  if (batch.providerBatch === null) {
    if (method === 'GET') return batch
    throw invalidRequest('It is not known yet whether the provider has created this batch. Try again soon.', {
      status: 409,
    })
  }
  const path = `${kind.path}/${encodeURIComponent(batch.providerBatch)}${action}`
  let object: JsonObject
  try {
    object = await callProvider(batch, { method, path, signal }, deps)
  } catch (error) {
    // A provider forgets its batches after some time; what it said last is known here.
    if (isMissing(error) && method === 'GET' && !job) return batch
    throw isMissing(error) ? unknownBatch(batch.id) : error
  }
  if (job && jobs.find(batch.id) === job) {
    await jobs.update(job, kind.describe(job.batch, object))
    if (kind.hasEnded(object)) poller.wake(batch.id)
  }
  return { ...batch, object }
}
