import { expect, test } from 'vitest'
import { Forecast } from './forecast.ts'

const observed = { keyId: 'key_a', model: 'p/m', tokensOut: 10, costNano: 100, baseNano: 1_000 }
const HOUR_MS = 3_600_000

/** A forecast whose clock and storage are the test's. */
function start(stored: unknown = undefined) {
  const world = { now: 0, stored, writes: 0 }
  const open = () =>
    new Forecast({
      clock: { now: () => world.now, monotonic: () => world.now },
      settings: { stored: () => world.stored },
      store: {
        write: async (_name: string, ...[settings]: readonly unknown[]) => {
          world.writes += 1
          const [setting] = settings as readonly { value: unknown }[]
          world.stored = JSON.parse(JSON.stringify(setting?.value))
          return undefined as never
        },
      },
      log: { warn: () => undefined },
    })
  return { world, open, forecast: open() }
}

test('a stream is assumed to need 1,000 tokens until answers are longer', () => {
  const forecast = new Forecast()
  expect(forecast.likelyOutput('key_a', 'p/m')).toBe(1_000)
  forecast.observe(observed)
  expect(forecast.likelyOutput('key_a', 'p/m')).toBe(1_000)
})

test('the 95th percentile of the last twenty answers is used, separately for each key and model', () => {
  const forecast = new Forecast()
  for (let tokensOut = 1; tokensOut <= 40; tokensOut += 1) {
    forecast.observe({ ...observed, tokensOut: tokensOut * 100 })
  }
  expect(forecast.likelyOutput('key_a', 'p/m')).toBe(3_900)
  expect(forecast.likelyOutput('key_b', 'p/m')).toBe(1_000)
  for (let n = 0; n < 20; n += 1) forecast.observe({ ...observed, tokensOut: 2_000 })
  expect(forecast.likelyOutput('key_a', 'p/m')).toBe(2_000)
})

test('what is likely at the start holds until there are twenty answers, unless they are longer', () => {
  const forecast = new Forecast()
  const likely = () => forecast.likelyOutput('key_a', 'p/m', 8_000)
  for (let n = 0; n < 19; n += 1) forecast.observe({ ...observed, tokensOut: 1_500 })
  expect(likely()).toBe(8_000)
  forecast.observe({ ...observed, tokensOut: 1_500 })
  expect(likely()).toBe(1_500)
  for (let n = 0; n < 9; n += 1) forecast.observe({ ...observed, tokensOut: 30_000 })
  expect(likely()).toBe(30_000)
})

test('a burst of answers at twice their usual bound doubles the next reservations of that model', () => {
  const forecast = new Forecast()
  for (let n = 0; n < 12; n += 1) forecast.observe({ ...observed, costNano: 2_000 })
  expect(forecast.factor('p/m')).toBe(2)
  expect(forecast.factor('p/other')).toBe(1)
  forecast.observe({ ...observed, costNano: 3_000 })
  expect(forecast.factor('p/m')).toBe(3)
  forecast.observe({ ...observed, costNano: 1e12, baseNano: 1 })
  expect(forecast.factor('p/m')).toBe(100)
})

test('a day of honest answers ends a factor, and a pause counts as one hour', () => {
  const { world, forecast } = start()
  forecast.observe({ ...observed, costNano: 25_000 })
  for (let hours = 1; hours <= 12; hours += 1) {
    world.now += HOUR_MS
    forecast.observe(observed)
  }
  expect(forecast.factor('p/m')).toBe(13)
  world.now += 100 * HOUR_MS
  forecast.observe(observed)
  expect(forecast.factor('p/m')).toBe(12)
  world.now -= 50 * HOUR_MS
  forecast.observe(observed)
  expect(forecast.factor('p/m')).toBe(12)
  for (let hours = 1; hours <= 11; hours += 1) {
    world.now += HOUR_MS
    forecast.observe(observed)
  }
  expect(forecast.factor('p/m')).toBe(1)
})

test('what was learned is stored once it has changed, and a restart goes on with it', async () => {
  const { world, forecast, open } = start()
  await forecast.save()
  expect(world.writes).toBe(0)
  for (let tokensOut = 1; tokensOut <= 130; tokensOut += 1)
    forecast.observe({ ...observed, tokensOut: tokensOut * 100 })
  forecast.observe({ ...observed, tokensOut: 5_000, costNano: 4_000 })
  await forecast.save()
  await forecast.save()
  expect(world.writes).toBe(1)
  const again = open()
  expect(again.likelyOutput('key_a', 'p/m')).toBe(forecast.likelyOutput('key_a', 'p/m'))
  expect(again.likelyOutput('key_a', 'p/m', 50_000)).toBeLessThan(50_000)
  expect(again.factor('p/m')).toBe(4)
})

test('at most 2,000 pairs are stored, the last used ones', async () => {
  const { world, forecast, open } = start()
  for (let n = 0; n < 2_100; n += 1)
    for (let size = 0; size < 3; size += 1)
      forecast.observe({ ...observed, keyId: `key_${n}`, tokensOut: 9_000 })
  await forecast.save()
  expect(open().likelyOutput('key_99', 'p/m')).toBe(1_000)
  expect(open().likelyOutput('key_100', 'p/m')).toBe(9_000)
  expect(JSON.stringify(world.stored).length).toBeLessThan(400_000)
})

test('a factor that an earlier version has stored, with answers of another form, still counts', () => {
  const factors = [['p/m', { peak: 4, value: 4, at: 0 }]]
  const { forecast } = start({ answers: [['key_a p/m', 3, [1, 2, 3]]], factors })
  expect(forecast.factor('p/m')).toBe(4)
  expect(forecast.likelyOutput('key_a', 'p/m')).toBe(1_000)
})

test('a stored value that is not valid is ignored', () => {
  expect(start({ answers: 'no' }).forecast.likelyOutput('key_a', 'p/m')).toBe(1_000)
})
