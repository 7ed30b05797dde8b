import { expect, it } from 'vitest'
import { readBill } from './parse-billed-cost.ts'

it('takes an amount within the bounds, which belong to it', () => {
  expect(readBill('$0.10', 0.1, 0.5)).toEqual({ ok: true, usd: 0.1 })
  expect(readBill('.5', 0.1, 0.5)).toEqual({ ok: true, usd: 0.5 })
  expect(readBill('7', null, null)).toEqual({ ok: true, usd: 7 })
  expect(readBill(' ', 0.1, 0.5)).toEqual({ ok: true, usd: null })
})

it('says what is wrong with any other', () => {
  expect(readBill('0.6', 0.1, 0.5)).toMatchObject({
    ok: false,
    message: expect.stringMatching(/more than \$0\.50/),
  })
  expect(readBill('0', 0.1, 0.5)).toMatchObject({
    ok: false,
    message: expect.stringMatching(/less than \$0\.10/),
  })
  expect(readBill('a lot', 0.1, 0.5)).toMatchObject({ ok: false })
})
