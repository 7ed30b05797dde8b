// The service of batches, which is loaded when it is first needed.
import type { JsonHandlers, WritingHandlers } from '../../../gateway/http/calls.ts'
import type { StoredBatch } from './batch-rows.ts'
import { BatchFiles } from './files.ts'
import { Jobs as JobList, type Jobs, unknownBatch } from './jobs.ts'
import * as messages from './messages.ts'
import * as openai from './openai.ts'
import { Poller } from './poller.ts'

type BatchOperation =
  | ('createFile' | 'listFiles' | 'getFile' | 'deleteFile' | 'getFileContent')
  | ('createBatch' | 'listBatches' | 'getBatch' | 'cancelBatch')
  | ('createMessageBatch' | 'listMessageBatches' | 'getMessageBatch' | 'cancelMessageBatch')
  | ('deleteMessageBatch' | 'getMessageBatchResults' | 'listBatchJobs' | 'cancelBatchJob')
export type BatchHandlers = Pick<JsonHandlers & WritingHandlers, BatchOperation>

export interface BatchService {
  handlers: BatchHandlers
  close(): Promise<void>
}

/** `open`: the batches that an earlier run has left. Resolves once what they may cost is reserved. */
export async function createBatchService(
  deps: openai.BatchServices['deps'],
  open: readonly StoredBatch[],
): Promise<BatchService> {
  const jobs: Jobs = new JobList(deps)
  const poller = new Poller(jobs, deps)
  const files = new BatchFiles(deps)
  const services = { deps, jobs, poller, files }
  await jobs.restore(open)
  for (const job of jobs.list()) poller.watch(job, 0)
  return { handlers: createHandlers(services), close: () => poller.close() }
}

function createHandlers(services: openai.BatchServices): BatchHandlers {
  const { files, jobs, deps } = services
  return {
    createFile: (call) => files.create(call),
    listFiles: async (call) => toPage(await files.list(call)),
    getFile: (call) => files.get(call),
    deleteFile: async (call) => {
      await files.delete(call)
      return { id: call.id, object: 'file', deleted: true }
    },
    getFileContent: (call) => files.sendContent(call),
    createBatch: (call) => openai.createBatch(call, services),
    listBatches: async (call) => toPage(await openai.listBatches(call, services)),
    getBatch: (call) => openai.getBatch(call, services),
    cancelBatch: (call) => openai.cancelBatch(call, services),
    createMessageBatch: (call) => messages.createMessageBatch(call, services),
    listMessageBatches: async (call) => {
      const { object: _, ...page } = toPage(await messages.listMessageBatches(call, services))
      return page
    },
    getMessageBatch: (call) => messages.getMessageBatch(call, services),
    cancelMessageBatch: (call) => messages.cancelMessageBatch(call, services),
    deleteMessageBatch: async (call) => {
      await messages.deleteMessageBatch(call, services)
      return { id: call.id, type: 'message_batch_deleted' }
    },
    getMessageBatchResults: (call) => messages.sendResults(call, services),
    listBatchJobs: async ({ query: { limit, after, key, session = null } }) => {
      const page = { keyId: key ?? null, session, after, limit: limit + 1, prefix: '' }
      const batches = await deps.store.read('listBatches', page)
      return {
        data: batches.slice(0, limit).map((batch) => jobs.view(batch)),
        hasMore: batches.length > limit,
      }
    },
    cancelBatchJob: async ({ id }) => {
      const batch = await deps.store.read('getBatch', id)
      if (!batch || batch.state === 'preparing') throw unknownBatch(id)
      return jobs.view(await openai.cancelStored(batch, services))
    },
  }
}

function toPage<T extends { id: string }>({ data, hasMore }: { data: T[]; hasMore: boolean }) {
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  }
}
