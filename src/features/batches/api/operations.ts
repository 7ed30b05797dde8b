import { admin, inference, type Operation, reading } from '../../../shared/api/operations/operation.ts'
import {
  Batch,
  BatchFile,
  BatchFileContent,
  BatchFileForm,
  BatchFileList,
  BatchFileQuery,
  BatchJob,
  BatchJobList,
  BatchJobQuery,
  BatchList,
  BatchQuery,
  BatchRequest,
  DeletedBatchFile,
  DeletedMessageBatch,
  MessageBatch,
  MessageBatchList,
  MessageBatchQuery,
  MessageBatchRequest,
} from './batches.ts'
import { batchRoutes } from './terms.ts'

const JOB = 'The id of a batch (`batch_…`, `msgbatch_…`).'
const file = { tag: 'Batches', idDescription: 'The id of a file (`file-…`).', scopes: inference } as const
const batch = { tag: 'Batches', idDescription: 'The id of a batch (`batch_…`).', scopes: inference } as const
const messages = {
  tag: 'Batches',
  idDescription: 'The id of a batch (`msgbatch_…`).',
  format: 'anthropic-messages',
  scopes: inference,
} as const
const CALLED = [404, 408, 429, 502, 504] as const

/** The APIs of OpenAI and Anthropic. */
export const batchOperations = {
  createFile: {
    ...file,
    method: 'POST',
    path: '/v1/files',
    summary: 'Send the requests of a batch',
    description:
      'The bytes go to the provider of the models that the lines name, and are not kept. Each line is checked on the way; errors name the lines.',
    response: BatchFile,
    file: 'body',
    fileContent: { types: ['multipart/form-data'], schema: BatchFileForm },
    errors: [...CALLED, 402, 413, 415],
  },
  listFiles: {
    ...file,
    method: 'GET',
    path: '/v1/files',
    summary: 'List the files of the key',
    query: BatchFileQuery,
    response: BatchFileList,
  },
  getFile: {
    ...file,
    method: 'GET',
    path: '/v1/files/{id}',
    summary: 'Get a file',
    response: BatchFile,
    errors: CALLED,
  },
  deleteFile: {
    ...file,
    method: 'DELETE',
    path: '/v1/files/{id}',
    summary: 'Delete a file at its provider',
    response: DeletedBatchFile,
    errors: CALLED,
  },
  getFileContent: {
    ...file,
    method: 'GET',
    path: '/v1/files/{id}/content',
    summary: 'Get the lines of a file',
    writes: true,
    response: BatchFileContent,
    file: 'response',
    fileContent: { types: ['application/octet-stream'], schema: BatchFileContent },
    errors: CALLED,
  },
  createBatch: {
    ...batch,
    method: 'POST',
    path: '/v1/batches',
    summary: 'Create a batch',
    description:
      'The most that its lines may cost is reserved first, all of it or nothing. Each line is charged once the batch has ended.',
    body: BatchRequest,
    response: Batch,
    errors: [...CALLED, 402],
  },
  listBatches: {
    ...batch,
    method: 'GET',
    path: '/v1/batches',
    summary: 'List the batches of the key',
    query: BatchQuery,
    response: BatchList,
  },
  getBatch: {
    ...batch,
    method: 'GET',
    path: '/v1/batches/{id}',
    summary: 'Get a batch',
    response: Batch,
    errors: CALLED,
  },
  cancelBatch: {
    ...batch,
    method: 'POST',
    path: '/v1/batches/{id}/cancel',
    summary: 'Cancel a batch',
    description: 'Lines that the provider has done are charged, the others are released.',
    response: Batch,
    errors: CALLED,
  },
  createMessageBatch: {
    ...messages,
    method: 'POST',
    path: '/v1/messages/batches',
    summary: 'Create a batch of messages',
    description:
      "Anthropic's Message Batches API. The most that its requests may cost is reserved first, all of it or nothing.",
    response: MessageBatch,
    file: 'body',
    fileContent: { types: ['application/json'], schema: MessageBatchRequest },
    errors: [...CALLED, 402, 413, 415],
  },
  listMessageBatches: {
    ...messages,
    method: 'GET',
    path: '/v1/messages/batches',
    summary: 'List the batches of messages of the key',
    query: MessageBatchQuery,
    response: MessageBatchList,
  },
  getMessageBatch: {
    ...messages,
    method: 'GET',
    path: '/v1/messages/batches/{id}',
    summary: 'Get a batch of messages',
    response: MessageBatch,
    errors: CALLED,
  },
  cancelMessageBatch: {
    ...messages,
    method: 'POST',
    path: '/v1/messages/batches/{id}/cancel',
    summary: 'Cancel a batch of messages',
    response: MessageBatch,
    errors: CALLED,
  },
  deleteMessageBatch: {
    ...messages,
    method: 'DELETE',
    path: '/v1/messages/batches/{id}',
    summary: 'Delete a batch of messages at its provider',
    description: 'Only one that has ended and is settled.',
    response: DeletedMessageBatch,
    errors: CALLED,
  },
  getMessageBatchResults: {
    ...messages,
    method: 'GET',
    path: '/v1/messages/batches/{id}/results',
    summary: 'Get the results of a batch of messages',
    writes: true,
    response: BatchFileContent,
    file: 'response',
    fileContent: { types: ['application/x-jsonl'], schema: BatchFileContent },
    errors: CALLED,
  },
} as const satisfies Record<string, Operation>

/** What the window and the command line call. */
export const batchJobOperations = {
  listBatchJobs: {
    ...batchRoutes.listBatchJobs,
    tag: 'Batches',
    summary: 'List the batches of all keys',
    scopes: reading,
    query: BatchJobQuery,
    response: BatchJobList,
  },
  cancelBatchJob: {
    ...batchRoutes.cancelBatchJob,
    tag: 'Batches',
    idDescription: JOB,
    summary: 'Cancel a batch of any key',
    scopes: admin,
    response: BatchJob,
    errors: CALLED,
  },
} as const satisfies Record<string, Operation>
