import type { ErrorBody, ErrorType } from '../../shared/api/errors.ts'
import type { Scope } from '../../shared/api/keys.ts'

export interface ErrorDetail {
  status: number
  type: ErrorType
  message: string
  code?: string | undefined
  param?: string | undefined
  headers?: Record<string, string>
}

/** An error with the HTTP response that the client gets. */
export class GatewayError extends Error {
  override name = 'GatewayError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ErrorBody

  constructor(detail: ErrorDetail) {
    super(detail.message)
    this.status = detail.status
    this.headers = detail.headers ?? {}
    this.body = {
      type: detail.type,
      message: detail.message,
      ...(detail.code === undefined ? {} : { code: detail.code }),
      ...(detail.param === undefined ? {} : { param: detail.param }),
    }
  }
}

export function invalidRequest(
  message: string,
  more: { param?: string | undefined; code?: string; status?: number; headers?: Record<string, string> } = {},
): GatewayError {
  return new GatewayError({ status: 400, type: 'invalid_request_error', message, ...more })
}

export function unauthenticated(message: string, code?: string): GatewayError {
  return new GatewayError({
    status: 401,
    type: 'authentication_error',
    message,
    code,
    headers: { 'www-authenticate': 'Bearer realm="tollgate"' },
  })
}

export function scopeForbidden(has: Scope, needed: readonly Scope[]): GatewayError {
  const list = needed.map((scope) => `"${scope}"`).join(' or ')
  return new GatewayError({
    status: 403,
    type: 'permission_error',
    message: `This key has the scope "${has}", which does not allow this operation. Use a key with the scope ${list}.`,
  })
}

export function forbidden(message: string): GatewayError {
  return new GatewayError({ status: 403, type: 'permission_error', message })
}

export function notFound(message: string, more: { param?: string; code?: string } = {}): GatewayError {
  return new GatewayError({ status: 404, type: 'not_found_error', message, ...more })
}

/** A spend limit is reached. Clients must not retry until the user raises it. */
export function quotaExceeded(code: string, message: string, param?: string): GatewayError {
  return new GatewayError({
    status: 402,
    type: 'insufficient_quota',
    message,
    code,
    param,
    headers: { 'x-should-retry': 'false' },
  })
}

export function serverError(message: string, status: 500 | 503 = 500, code?: string): GatewayError {
  return new GatewayError({ status, type: 'server_error', message, code })
}
