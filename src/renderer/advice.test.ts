import { expect, it } from 'vitest'
import { ERROR_TYPES } from '../shared/errors.ts'
import { adviceFor } from './advice.ts'

it('has advice for every type but a fault of the gateway itself', () => {
  for (const type of ERROR_TYPES) expect(adviceFor({ type }) !== null, type).toBe(type !== 'server_error')
})

it('prefers the advice of a code', () => {
  expect(adviceFor({ type: 'insufficient_quota', code: 'account_limit_reached' })?.to?.href).toBe('/settings')
  expect(adviceFor({ type: 'insufficient_quota', code: 'another' })).toEqual(
    adviceFor({ type: 'insufficient_quota' }),
  )
})
