import { expect, it } from 'vitest'
import { parseBilledCost } from './cost-receipt.tsx'

it('accepts an amount within the bounds, which are inclusive', () => {
  expect(parseBilledCost('$0.10', 0.1, 0.5)).toEqual({ ok: true, usd: 0.1 })
  expect(parseBilledCost('.5', 0.1, 0.5)).toEqual({ ok: true, usd: 0.5 })
  expect(parseBilledCost('7', null, null)).toEqual({ ok: true, usd: 7 })
  expect(parseBilledCost(' ', 0.1, 0.5)).toEqual({ ok: true, usd: null })
})

it('returns an error for any other amount', () => {
  expect(parseBilledCost('0.6', 0.1, 0.5)).toMatchObject({
    ok: false,
    message: expect.stringMatching(/more than \$0\.50/),
  })
  expect(parseBilledCost('0', 0.1, 0.5)).toMatchObject({
    ok: false,
    message: expect.stringMatching(/less than \$0\.10/),
  })
  expect(parseBilledCost('a lot', 0.1, 0.5)).toMatchObject({ ok: false })
})
