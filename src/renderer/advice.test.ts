import { expect, it } from 'vitest'
import { ERROR_TYPES } from '../shared/errors.ts'
import { adviceFor } from './advice.ts'

it('has advice for every error type except an internal error', () => {
  for (const type of ERROR_TYPES) expect(adviceFor({ type }) !== null, type).toBe(type !== 'server_error')
})

it('prefers advice for the error code', () => {
  expect(adviceFor({ type: 'insufficient_quota', code: 'account_limit_reached' })?.to?.href).toBe(
    '/settings#monthly-limit',
  )
  expect(adviceFor({ type: 'insufficient_quota', code: 'another' })).toEqual(
    adviceFor({ type: 'insufficient_quota' }),
  )
})
