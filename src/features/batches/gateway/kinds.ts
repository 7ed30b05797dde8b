// The batches of both APIs: where they are, what their objects say, and how a client sees these.
import { asObject, type JsonObject, stringOr, wholeNumber } from '../../../gateway/formats/json/json.ts'
import type { BatchChange, StoredBatch } from './batch-rows.ts'
import { type LineResult, readFileResult, readMessageResult } from './line-charges.ts'

export interface BatchKind {
  /** Below the base URL of the provider. */
  path: string
  /** Creates the change that records the provider's object. */
  describe(batch: StoredBatch, object: JsonObject): Omit<BatchChange, 'nr'>
  hasEnded(object: JsonObject): boolean
  /** The paths of the results of a batch that has ended. */
  resultPaths(batch: StoredBatch, object: JsonObject): string[]
  /** How many answers of models the provider has counted. */
  countAnswers(batch: StoredBatch, object: JsonObject): number
  readResult(json: unknown): LineResult | null
}

const ENDED: readonly unknown[] = ['completed', 'failed', 'expired', 'cancelled']
/** The files with the answers of a batch, by the members that name them. */
const OUTPUTS = [
  ['output_file_id', 'output'],
  ['error_file_id', 'errors'],
] as const

export const openaiBatches: BatchKind = {
  path: '/batches',
  describe: (batch, object) => ({
    providerBatch: stringOr(object.id, batch.providerBatch),
    object,
    problem: null,
    files: OUTPUTS.flatMap(([member, name]) => {
      const providerFile = stringOr(object[member], '')
      if (providerFile === '') return []
      const { keyId, createdAt, provider, credential, id } = batch
      const details = { endpoint: batch.details.endpoint, models: [], lines: 0 }
      const place = { keyId, createdAt, provider, credential, batch: id }
      return [{ ...place, id: nameOutput(id, name), providerFile, object: {}, details }]
    }),
  }),
  hasEnded: ({ status }) => ENDED.includes(status),
  resultPaths: (_batch, object) =>
    OUTPUTS.flatMap(([member]) => {
      const id = stringOr(object[member], '')
      return id === '' ? [] : [`/files/${encodeURIComponent(id)}/content`]
    }),
  countAnswers: ({ lines }, { status, request_counts: counts, output_file_id: output }) =>
    wholeNumber(asObject(counts).completed) ?? (status === 'completed' && !output ? lines : 0),
  readResult: readFileResult,
}

export const messageBatches: BatchKind = {
  path: '/messages/batches',
  describe: (batch, object) => ({
    providerBatch: stringOr(object.id, batch.providerBatch),
    object,
    problem: null,
    files: [],
  }),
  hasEnded: ({ processing_status: status }) => status === 'ended',
  resultPaths: ({ providerBatch }) => [
    `/messages/batches/${encodeURIComponent(providerBatch ?? '')}/results`,
  ],
  countAnswers: (_batch, { request_counts: counts }) => wholeNumber(asObject(counts).succeeded) ?? 0,
  readResult: readMessageResult,
}

export function findKind({ details }: Pick<StoredBatch, 'details'>): BatchKind {
  return details.inputFile === null ? messageBatches : openaiBatches
}

/** The id of a file with the answers of a batch: the same whenever it is made. */
function nameOutput(batchId: string, name: 'output' | 'errors'): string {
  return `file-${batchId.slice('batch_'.length)}-${name}`
}

/** OpenAI's object of a batch with the ids that clients see. */
export function viewBatch({ id, object, details }: StoredBatch): JsonObject {
  const outputs = OUTPUTS.map(([member, name]) => [member, object[member] ? nameOutput(id, name) : null])
  return { ...object, id, input_file_id: details.inputFile, ...Object.fromEntries(outputs) }
}

/** Anthropic's object of a batch with the id that clients see. `origin`: the address at which its client calls. */
export function viewMessageBatch({ id, object }: StoredBatch, origin: string): JsonObject {
  const results = object.results_url ? `${origin}/v1/messages/batches/${id}/results` : null
  return { ...object, id, results_url: results }
}
