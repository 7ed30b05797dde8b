// Batches: requests that a provider does within a day at a lower price. The feature is loaded with its first call, or at the start
// if a batch is not settled.
import { type Feature, loadOnDemand } from '../../../gateway/http/calls.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { StoredBatch } from './batch-rows.ts'
import type { BatchServices } from './openai.ts'
import type { BatchService } from './service.ts'

/** How the API shows the field that lines of batches have. */
export function viewLine([id, customId, line]: [string, string, number]): RequestRecord['batch'] {
  return { id, customId, line }
}

const IDS = [
  'createFile',
  'listFiles',
  'getFile',
  'deleteFile',
  'getFileContent',
  'createBatch',
  'listBatches',
  'getBatch',
  'cancelBatch',
  'createMessageBatch',
  'listMessageBatches',
  'getMessageBatch',
  'cancelMessageBatch',
  'deleteMessageBatch',
  'getMessageBatchResults',
  'listBatchJobs',
  'cancelBatchJob',
] as const

export function createBatches(deps: BatchServices['deps']): Feature {
  let loading: Promise<BatchService> | null = null
  const load = (open: readonly StoredBatch[] = []) => {
    loading ??= import('./service.ts').then(({ createBatchService }) => createBatchService(deps, open))
    return loading
  }
  return {
    ...loadOnDemand(IDS, load),
    async start() {
      const open = await deps.store.write('loadOpenBatches')
      if (open.length > 0) await load(open)
    },
    async close() {
      await (await loading)?.close()
    },
  }
}
