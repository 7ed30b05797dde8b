import { expect, it } from 'vitest'
import { ApiError, errorFromResponse, toApiError } from './api-error.ts'

const headers = { 'x-service-request-id': 'req_1' }

it('reads type, message, code, param and request id from the error envelope', async () => {
  const error = {
    type: 'insufficient_quota',
    message: 'Cap reached.',
    code: 'spend_limit_reached',
    param: 'model',
  }
  const read = await errorFromResponse(Response.json({ error }, { status: 402, headers }))
  expect(read).toMatchObject({ status: 402, requestId: 'req_1', ...error })
})

it('handles a body that is not an error envelope', async () => {
  const html = await errorFromResponse(new Response('<html>', { status: 502, headers }))
  expect(html).toMatchObject({ status: 502, type: 'server_error', requestId: 'req_1', code: null })
  const foreign = await errorFromResponse(
    Response.json({ error: { type: 'odd', message: 'x' } }, { status: 400 }),
  )
  expect(foreign).toMatchObject({ status: 400, type: 'invalid_request_error', requestId: null })
})

it('treats a failed fetch as an unreachable gateway', () => {
  expect(toApiError(new TypeError('Failed to fetch'))).toMatchObject({ status: 0, type: 'connection_error' })
  const known = new ApiError({ status: 404, type: 'not_found_error', message: 'no' })
  expect(toApiError(known)).toBe(known)
})
