// Everything the HTTP API can do: paths, scopes and schemas. The gateway's handlers, the OpenAPI document and the window's
// client are all typed by this table.
import type { z } from 'zod'
import { batchOperations } from '../../features/batches/api/operations.ts'
import { eventOperations } from '../../features/history/api/event-operations.ts'
import { calledOperations } from './called-operations.ts'
import { inferenceOperations } from './operations/inference.ts'
import type { Operation } from './operations/operation.ts'
import { passThroughOperations } from './operations/pass-through.ts'

export const operations = {
  ...inferenceOperations,
  ...passThroughOperations,
  ...batchOperations,
  ...calledOperations,
  ...eventOperations,
} satisfies Record<string, Operation>

export type OperationId = keyof typeof operations
type Op<K extends OperationId> = (typeof operations)[K]

/** The parsed request body of an operation; undefined when it takes none. */
export type BodyOf<K extends OperationId> =
  Op<K> extends { body: infer B extends z.ZodType } ? z.output<B> : undefined
/** The body as a client may send it. */
export type BodyInputOf<K extends OperationId> =
  Op<K> extends { body: infer B extends z.ZodType } ? z.input<B> : undefined
export type QueryOf<K extends OperationId> =
  Op<K> extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined
export type QueryInputOf<K extends OperationId> =
  Op<K> extends { query: infer Q extends z.ZodType } ? z.input<Q> : undefined
export type ResponseOf<K extends OperationId> = z.output<Op<K>['response']>

/** Operations whose handler writes the response. */
export type WritingOperationId = {
  [K in OperationId]: Op<K> extends { writes: true } ? K : never
}[OperationId]

/** Operations whose response is always one JSON object. */
export type JsonOperationId = Exclude<OperationId, WritingOperationId>

export function isJsonOperation(id: OperationId): id is JsonOperationId {
  return !('writes' in operations[id])
}
