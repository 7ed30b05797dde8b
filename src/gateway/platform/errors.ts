import type { ErrorBody, ErrorType } from '../../shared/api/errors.ts'

export interface ErrorDetail {
  status: number
  /** The usual one of the status if absent. */
  type?: ErrorType
  message: string
  code?: string | undefined
  param?: string | undefined
  headers?: Record<string, string>
}

/** The usual types; those of all other statuses are about the request. */
const TYPES: Readonly<Record<number, ErrorType>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_exceeded',
  500: 'server_error',
  502: 'upstream_error',
  503: 'server_error',
}

/** An error with the HTTP response that the client gets. */
export class GatewayError extends Error {
  override name = 'GatewayError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ErrorBody

  constructor({ status, type = TYPES[status] ?? 'invalid_request_error', ...detail }: ErrorDetail) {
    const { message, code, param, headers = {} } = detail
    super(message)
    this.status = status
    this.headers = headers
    this.body = { type, message, ...(code !== undefined && { code }), ...(param !== undefined && { param }) }
  }
}

export function invalidRequest(message: string, more: Partial<ErrorDetail> = {}): GatewayError {
  return new GatewayError({ status: 400, message, ...more })
}

export function unauthenticated(message: string, code?: string): GatewayError {
  const headers = { 'www-authenticate': 'Bearer realm="tollgate"' }
  return new GatewayError({ status: 401, message, code, headers })
}

export function forbidden(message: string, more: Pick<ErrorDetail, 'param' | 'code'> = {}): GatewayError {
  return new GatewayError({ status: 403, message, ...more })
}

export function notFound(message: string, more: Pick<ErrorDetail, 'param' | 'code'> = {}): GatewayError {
  return new GatewayError({ status: 404, message, ...more })
}

export function serverError(message: string, status: 500 | 503 = 500, code?: string): GatewayError {
  return new GatewayError({ status, message, code })
}
