import { expect, it } from 'vitest'
import { ERROR_TYPES } from '../../shared/api/terms.ts'
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

it('does not blame the scope or the secret of a key that has ended or may not use the model', () => {
  const byType = (type: string) => adviceFor({ type })?.text
  const notAllowed = adviceFor(
    { type: 'permission_error', code: 'model_not_allowed' },
    { keyId: 'key_1', model: 'm' },
  )
  expect(notAllowed).toMatchObject({
    text: expect.stringContaining('model'),
    to: { href: '/keys?edit=key_1' },
  })
  expect(notAllowed?.text).not.toBe(byType('permission_error'))
  const expired = adviceFor(
    { type: 'authentication_error', code: 'key_expired' },
    { keyId: 'key_1', model: 'm' },
  )
  expect(expired).toMatchObject({
    text: expect.stringContaining('end date'),
    to: { href: '/keys?edit=key_1' },
  })
  expect(expired?.text).not.toBe(byType('authentication_error'))
})
