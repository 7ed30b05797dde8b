// The schemas by which the command line checks responses. It may be newer or older than the gateway that it calls.
import type { z } from 'zod'
import { calledOperations } from './called-operations.ts'
import type { CalledOperationId } from './operation-calls.ts'
import type { ResponseOf } from './operations.ts'

/** Typed so that an operation's schema parses to its own response. */
export const responseSchemas: { readonly [K in CalledOperationId]: { response: z.ZodType<ResponseOf<K>> } } =
  calledOperations
