import { z } from 'zod'

/** The most requests of one batch: OpenAI's limit, and Anthropic's. */
export const MAX_LINES = 50_000
export const MAX_MESSAGE_REQUESTS = 100_000

/** The field of a request's record. */
export const batchFields = {
  batch: z
    .object({
      id: z.string().describe('The batch (`batch_…`, `msgbatch_…`).'),
      customId: z.string(),
      line: z.number().describe('The line of the file, or the place in the list of requests; from 1.'),
    })
    .meta({ id: 'RequestBatch' })
    .nullable()
    .describe('The batch that the request is a line of; null for all others.'),
}

const FileId = z.string().describe('`file-…`: an id of Tollgate, which only the key that made it can use.')

export const BatchFileForm = z.string().meta({
  id: 'BatchFileForm',
  format: 'binary',
  description:
    'A form with `purpose`, which is `batch`, and `file`: JSON Lines, each `{custom_id, method: "POST", url, body}`.',
})

export const BatchFile = z
  .looseObject({
    id: FileId,
    object: z.literal('file'),
    bytes: z.number(),
    created_at: z.number(),
    filename: z.string(),
    purpose: z.string(),
  })
  .meta({ id: 'BatchFile', description: 'As the provider describes it.' })
export type BatchFile = z.infer<typeof BatchFile>

const page = {
  limit: z.coerce.number().int().min(1).max(100).default(20),
}

export const BatchFileQuery = z
  .looseObject({
    ...page,
    limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
    after: z.string().optional().describe('The id of the last one of the page before.'),
    purpose: z.string().optional(),
  })
  .meta({ id: 'BatchFileQuery' })

export const BatchFileList = z
  .object({
    object: z.literal('list'),
    data: z.array(BatchFile),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'BatchFileList', description: 'The newest first.' })

export const DeletedBatchFile = z
  .object({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) })
  .meta({ id: 'DeletedBatchFile' })

export const BatchFileContent = z.string().meta({
  id: 'BatchFileContent',
  format: 'binary',
  description: 'JSON Lines, as the provider has them.',
})

export const BatchRequest = z
  .strictObject({
    input_file_id: FileId,
    endpoint: z.string().describe('The path that the lines of the file have.'),
    completion_window: z.literal('24h'),
    metadata: z.record(z.string(), z.string()).nullish(),
    output_expires_after: z
      .strictObject({ anchor: z.literal('created_at'), seconds: z.int().positive() })
      .nullish(),
  })
  .meta({ id: 'BatchRequest' })
export type BatchRequest = z.infer<typeof BatchRequest>

export const Batch = z
  .looseObject({
    id: z.string(),
    object: z.literal('batch'),
    endpoint: z.string(),
    input_file_id: FileId,
    output_file_id: FileId.nullish(),
    error_file_id: FileId.nullish(),
    status: z.string(),
    created_at: z.number(),
  })
  .meta({ id: 'Batch', description: 'As the provider describes it, with the ids of Tollgate.' })
export type Batch = z.infer<typeof Batch>

export const BatchQuery = z
  .looseObject({
    ...page,
    after: z.string().optional().describe('The id of the last one of the page before.'),
  })
  .meta({ id: 'BatchQuery' })

export const BatchList = z
  .object({
    object: z.literal('list'),
    data: z.array(Batch),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'BatchList', description: 'The newest first.' })

export const MessageBatchRequest = z.string().meta({
  id: 'MessageBatchRequest',
  format: 'binary',
  description: '`{"requests": [{"custom_id": …, "params": …}]}`, up to 256 MB.',
})

export const MessageBatch = z
  .looseObject({
    id: z.string(),
    type: z.literal('message_batch'),
    processing_status: z.string(),
    request_counts: z.looseObject({}),
    created_at: z.string(),
    results_url: z.string().nullable(),
  })
  .meta({ id: 'MessageBatch', description: 'As the provider describes it, with the id of Tollgate.' })
export type MessageBatch = z.infer<typeof MessageBatch>

export const MessageBatchQuery = z
  .looseObject({ ...page, after_id: z.string().optional(), before_id: z.string().optional() })
  .meta({ id: 'MessageBatchQuery' })

export const MessageBatchList = z
  .object({
    data: z.array(MessageBatch),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .meta({ id: 'MessageBatchList', description: 'The newest first.' })

export const DeletedMessageBatch = z
  .object({ id: z.string(), type: z.literal('message_batch_deleted') })
  .meta({ id: 'DeletedMessageBatch' })

// Batches as Tollgate meters them.

export const BatchJob = z
  .object({
    id: z.string(),
    keyId: z.string(),
    keyName: z.string(),
    provider: z.string(),
    models: z.array(z.string()),
    endpoint: z.string(),
    sessionId: z.string().describe('The session of the call that made it.'),
    createdAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable().describe('When its last line was settled.'),
    status: z.string().describe("The provider's status, such as `in_progress`."),
    settled: z.boolean().describe('Whether every line is charged or released.'),
    keyPaused: z
      .boolean()
      .describe('Whether its key, or all of them, are paused: the provider continues with what it has.'),
    lines: z.number(),
    succeeded: z.number().describe('Lines that were charged.'),
    failed: z
      .number()
      .describe('Lines that failed, or were canceled or too late, as far as the provider lists them.'),
    done: z.number().describe('Lines that the provider has done, by its last report.'),
    costUsd: z.number(),
    reservedUsd: z.number().describe('What the lines that are not settled may cost.'),
    problem: z.string().nullable().describe('Why it cannot be settled now.'),
  })
  .meta({ id: 'BatchJob', description: 'A batch of any key, as Tollgate meters it.' })
export type BatchJob = z.infer<typeof BatchJob>

/** A batch has changed, and every line of one is settled. */
export const batchEvents = [
  z.object({ type: z.literal('batch'), batch: BatchJob }),
  z.object({ type: z.literal('batch-alert'), alert: BatchJob }),
] as const

export const BatchJobQuery = z
  .strictObject({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    after: z.string().optional().describe('The id of the last one of the page before.'),
    key: z.string().optional().describe('The id of a key.'),
    session: z.string().optional().describe('The id of the session of the call that made it.'),
  })
  .meta({ id: 'BatchJobQuery' })

export const BatchJobList = z
  .object({ data: z.array(BatchJob), hasMore: z.boolean() })
  .meta({ id: 'BatchJobList', description: 'The newest first.' })
