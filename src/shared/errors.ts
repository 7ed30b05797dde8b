// Owns the error envelope and its closed set of types. Knows nothing of HTTP servers or of who raises what.
import { z } from 'zod'

export const ERROR_TYPES = [
  'rate_limit_exceeded',
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'insufficient_quota',
  'upstream_error',
  'server_error',
] as const

export const ErrorType = z.enum(ERROR_TYPES)
export type ErrorType = z.infer<typeof ErrorType>

export const ErrorBody = z.object({
  type: ErrorType,
  message: z.string(),
  code: z.string().optional(),
  param: z.string().optional(),
})
export type ErrorBody = z.infer<typeof ErrorBody>

/** What every response with a status of 400 or above carries as its JSON body. */
export const ErrorEnvelope = z.object({ error: ErrorBody })
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>
