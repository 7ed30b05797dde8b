import { expect, test } from 'vitest'
import { Forecast } from './forecast.ts'

const observed = { keyId: 'key_a', model: 'p/m', tokensOut: 10, costNano: 100, expectedNano: 1_000 }

test('a stream is assumed to need 1,000 tokens until answers are longer', () => {
  const forecast = new Forecast()
  expect(forecast.likelyOutput('key_a', 'p/m')).toBe(1_000)
  forecast.observe(observed)
  expect(forecast.likelyOutput('key_a', 'p/m')).toBe(1_000)
})

test('the 95th percentile of the last hundred answers is used, separately for each key and model', () => {
  const forecast = new Forecast()
  for (let tokensOut = 1; tokensOut <= 100; tokensOut += 1) {
    forecast.observe({ ...observed, tokensOut: tokensOut * 100 })
  }
  expect(forecast.likelyOutput('key_a', 'p/m')).toBe(9_500)
  expect(forecast.likelyOutput('key_b', 'p/m')).toBe(1_000)
  for (let n = 0; n < 100; n += 1) forecast.observe({ ...observed, tokensOut: 2_000 })
  expect(forecast.likelyOutput('key_a', 'p/m')).toBe(2_000)
})

test('usage above the expected amount multiplies the next reservations of that model, up to a limit', () => {
  const forecast = new Forecast()
  forecast.observe({ ...observed, costNano: 3_000 })
  expect(forecast.factor('p/m')).toBe(3)
  expect(forecast.factor('p/other')).toBe(1)
  // By then three times as much is expected.
  forecast.observe({ ...observed, costNano: 3_000, expectedNano: 3_000 })
  expect(forecast.factor('p/m')).toBe(3)
  forecast.observe({ ...observed, costNano: 1e12, expectedNano: 1 })
  expect(forecast.factor('p/m')).toBe(100)
})
