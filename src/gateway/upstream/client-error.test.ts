import { describe, expect, it } from 'vitest'
import { type FailureDetail, UpstreamFailure } from '../formats/chat/failure.ts'
import { toClientError } from './client-error.ts'

function failure(detail: Partial<FailureDetail>): UpstreamFailure {
  return new UpstreamFailure({ kind: 'status', message: 'm', ...detail })
}

describe('toClientError', () => {
  it.each<[Partial<FailureDetail>, object]>([
    [{ kind: 'timeout' }, { status: 408, type: 'upstream_error' }],
    [
      { status: 400, code: 'c', param: 'p' },
      { status: 400, type: 'invalid_request_error', code: 'c', param: 'p', message: 'm' },
    ],
    [{ status: 404 }, { status: 400, type: 'invalid_request_error' }],
    [{ status: 413 }, { status: 400, type: 'invalid_request_error' }],
    [{ status: 422 }, { status: 400, type: 'invalid_request_error' }],
    [{ status: 401 }, { status: 502, type: 'upstream_error', code: 'upstream_credential' }],
    [{ status: 402 }, { status: 502, code: 'upstream_credential' }],
    [
      { status: 403, code: 'x' },
      { status: 502, code: 'upstream_credential' },
    ],
    [{ kind: 'credential' }, { status: 502, code: 'upstream_credential' }],
    [
      { kind: 'credential', code: 'credentials_unavailable' },
      { status: 503, code: 'credentials_unavailable' },
    ],
    [{ status: 408 }, { status: 408, type: 'upstream_error' }],
    [
      { status: 429, retryAfterMs: 1200 },
      { status: 503, type: 'upstream_error', retryAfterSeconds: 2 },
    ],
    [{ status: 429 }, { status: 503 }],
    [{ status: 500 }, { status: 502 }],
    [{ status: 502 }, { status: 502 }],
    [{ status: 503 }, { status: 503 }],
    [{ status: 529 }, { status: 503 }],
    [{ status: 504 }, { status: 504 }],
    [{ status: 307 }, { status: 502 }],
    [{ status: null }, { status: 502 }],
    [{ kind: 'network' }, { status: 502, type: 'upstream_error' }],
    [{ kind: 'malformed' }, { status: 502, type: 'upstream_error' }],
  ])('%j becomes %j', (detail, expected) => {
    expect(toClientError(failure(detail))).toMatchObject(expected)
  })
})
