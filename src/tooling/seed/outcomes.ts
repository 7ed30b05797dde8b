import type { ErrorBody } from '../../shared/api/errors.ts'
import type { CostStatus, RequestStatus } from '../../shared/api/requests.ts'

interface RefusedEnding {
  /** In a thousand requests. */
  weight: number
  status: 'refused'
  httpStatus: number
  error: ErrorBody
}

export interface AnsweredEnding {
  weight: number
  status: Exclude<RequestStatus, 'running' | 'rejected' | 'refused'>
  httpStatus: number
  error: ErrorBody | null
  /** The status for a model that has a price. */
  costStatus: Exclude<CostStatus, 'pending' | 'confirmed' | 'unknown'>
  /** The fraction of the answer that was received. */
  answered: number
  /** The attempts with the upstream's status; null where it sent none. */
  attempts: readonly { status: number | null; error: string | null }[]
}

const OK = { status: 200, error: null }
const BUSY = { status: 429, error: 'The provider says there are too many requests.' }
const DOWN = { status: 503, error: 'The provider is overloaded.' }
const SILENT = { status: null, error: 'The provider did not answer in time.' }

const SUCCEEDED = { status: 'succeeded', httpStatus: 200, error: null, answered: 1 } as const
const REFUSED = { status: 'refused' } as const

export const ENDINGS: readonly (RefusedEnding | AnsweredEnding)[] = [
  { ...SUCCEEDED, weight: 890, costStatus: 'exact', attempts: [OK] },
  { ...SUCCEEDED, weight: 28, costStatus: 'estimated', attempts: [OK] },
  { ...SUCCEEDED, weight: 22, costStatus: 'exact', attempts: [BUSY, OK] },
  {
    weight: 16,
    status: 'canceled',
    httpStatus: 200,
    error: { type: 'upstream_error', message: 'The client disconnected.', code: 'client_closed' },
    costStatus: 'estimated',
    answered: 0.4,
    attempts: [OK],
  },
  {
    weight: 14,
    status: 'failed',
    httpStatus: 503,
    error: { type: 'upstream_error', message: 'The provider is overloaded.', code: 'overloaded' },
    costStatus: 'free',
    answered: 0,
    attempts: [DOWN, DOWN, DOWN],
  },
  {
    weight: 9,
    status: 'failed',
    httpStatus: 400,
    error: {
      type: 'invalid_request_error',
      message: 'The prompt is longer than the model’s context window.',
      code: 'context_length_exceeded',
      param: 'messages',
    },
    costStatus: 'free',
    answered: 0,
    attempts: [{ status: 400, error: 'The prompt is longer than the model’s context window.' }],
  },
  {
    weight: 5,
    status: 'failed',
    httpStatus: 408,
    error: { type: 'upstream_error', message: 'The provider did not answer in time.' },
    costStatus: 'unsettled',
    answered: 0,
    attempts: [SILENT, SILENT, SILENT],
  },
  {
    ...REFUSED,
    weight: 10,
    httpStatus: 429,
    error: {
      type: 'rate_limit_exceeded',
      message:
        'The limit of 60 requests per minute of the key is used up. Try again in 12 s. It is set in Tollgate under Keys.',
      code: 'key_rate_limit',
    },
  },
  {
    ...REFUSED,
    weight: 6,
    httpStatus: 429,
    error: {
      type: 'rate_limit_exceeded',
      message: 'All that the lifetime cap of the key leaves is reserved by running requests.',
      code: 'spend_reserved',
    },
  },
]
