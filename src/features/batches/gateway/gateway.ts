// Batches: requests that a provider does within a day at a lower price. The feature is loaded with its first call, or at the start
// if a batch is not settled.
import type { Feature } from '../../../gateway/http/calls.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { StoredBatch } from './batch-rows.ts'
import type { BatchServices } from './openai.ts'
import type { BatchService } from './service.ts'

/** How the API shows the field that lines of batches have. */
export function viewLine([id, customId, line]: [string, string, number]): RequestRecord['batch'] {
  return { id, customId, line }
}

export function createBatches(deps: BatchServices['deps']): Feature {
  let loading: Promise<BatchService> | null = null
  const load = (open: readonly StoredBatch[] = []) => {
    loading ??= import('./service.ts').then(({ createBatchService }) => createBatchService(deps, open))
    return loading
  }
  const handlers = async () => (await load()).handlers
  return {
    handlers: {
      createFile: async (call) => (await handlers()).createFile(call),
      listFiles: async (call) => (await handlers()).listFiles(call),
      getFile: async (call) => (await handlers()).getFile(call),
      deleteFile: async (call) => (await handlers()).deleteFile(call),
      getFileContent: async (call) => (await handlers()).getFileContent(call),
      createBatch: async (call) => (await handlers()).createBatch(call),
      listBatches: async (call) => (await handlers()).listBatches(call),
      getBatch: async (call) => (await handlers()).getBatch(call),
      cancelBatch: async (call) => (await handlers()).cancelBatch(call),
      createMessageBatch: async (call) => (await handlers()).createMessageBatch(call),
      listMessageBatches: async (call) => (await handlers()).listMessageBatches(call),
      getMessageBatch: async (call) => (await handlers()).getMessageBatch(call),
      cancelMessageBatch: async (call) => (await handlers()).cancelMessageBatch(call),
      deleteMessageBatch: async (call) => (await handlers()).deleteMessageBatch(call),
      getMessageBatchResults: async (call) => (await handlers()).getMessageBatchResults(call),
      listBatchJobs: async (call) => (await handlers()).listBatchJobs(call),
      cancelBatchJob: async (call) => (await handlers()).cancelBatchJob(call),
    },
    async start() {
      const open = await deps.store.write('loadOpenBatches')
      if (open.length > 0) await load(open)
    },
    async close() {
      await (await loading)?.close()
    },
  }
}
