import type { ErrorEnvelope, ErrorType } from '../../shared/api/errors.ts'
import { ERROR_TYPES } from '../../shared/api/terms.ts'

export interface ApiErrorDetail {
  /** The HTTP status; 0 without a response. */
  status: number
  type: ErrorType | 'connection_error'
  message: string
  code?: string | undefined
  param?: string | undefined
  requestId?: string | undefined
}

export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly type: ErrorType | 'connection_error'
  readonly code: string | null
  readonly param: string | null
  readonly requestId: string | null

  constructor(detail: ApiErrorDetail) {
    super(detail.message)
    this.status = detail.status
    this.type = detail.type
    this.code = detail.code ?? null
    this.param = detail.param ?? null
    this.requestId = detail.requestId ?? null
  }
}

/** Reads the error of a failed response. Never throws, whatever the body is. */
export async function errorFromResponse(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('x-service-request-id') ?? undefined
  const body: unknown = await response.json().catch(() => null)
  if (isErrorEnvelope(body)) return new ApiError({ status: response.status, requestId, ...body.error })
  return new ApiError({
    status: response.status,
    type: response.status >= 500 ? 'server_error' : 'invalid_request_error',
    message: `The gateway returned ${response.status} in a format that this window does not understand.`,
    requestId,
  })
}

/** Checks what the window needs of an error, without the schemas, which are loaded later. */
export function isErrorEnvelope(value: unknown): value is ErrorEnvelope {
  if (typeof value !== 'object' || value === null || !('error' in value)) return false
  const { error } = value
  if (typeof error !== 'object' || error === null || !('type' in error && 'message' in error)) return false
  return ERROR_TYPES.some((type) => type === error.type) && typeof error.message === 'string'
}

/** Converts anything thrown. A failed fetch means that the gateway cannot be reached. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof Error && (thrown.name === 'SyntaxError' || thrown.name === 'ZodError')) {
    return new ApiError({
      status: 200,
      type: 'server_error',
      message:
        'The gateway’s response has a format that this window does not understand. Check that both have the same version.',
    })
  }
  return new ApiError({
    status: 0,
    type: 'connection_error',
    message: 'The gateway cannot be reached. Is it still running?',
  })
}

/** Throws an error with the desktop's own message. */
export function throwDesktopError(thrown: unknown): never {
  const message = thrown instanceof Error ? thrown.message : 'The setting could not be changed.'
  throw new ApiError({ status: 0, type: 'server_error', message })
}
