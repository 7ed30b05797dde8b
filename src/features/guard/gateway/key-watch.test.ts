// Traces of honest and of runaway agents. Costs and pauses are random, by seeds, so that no figure holds by accident.
import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { usdToNano } from '../../../shared/money/money.ts'
import { computeFingerprint, type Finding, KeyWatch, levels } from './runaway-guard.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8]

/** Numbers from 0 to 1, always the same for a seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Step {
  at: number
  usd: number
  prompt: number
}

interface Run {
  finding: Finding | null
  /** Spent until the end, or until the finding. */
  usd: number
  requests: number
}

function play(watch: KeyWatch, steps: Iterable<Step>, level = levels.standard): Run {
  let usd = 0
  let requests = 0
  for (const step of steps) {
    usd += step.usd
    requests += 1
    const finding = watch.charged(step.at, usdToNano(step.usd), step.prompt, level)
    if (finding) return { finding, usd, requests }
  }
  return { finding: null, usd, requests }
}

interface Trace {
  seed: number
  from?: number
  ms: number
  perMinute: number
  usdPerMinute: number
  /** Whether each request repeats the same prompt; otherwise all differ. */
  same?: boolean
}

/** Requests at random moments, whose costs differ by up to five times. */
function* trace({ seed, from = 0, ms, perMinute, usdPerMinute, same = false }: Trace): Generator<Step> {
  const random = createRandom(seed)
  let prompt = 0
  for (let at = from; at < from + ms; ) {
    at += (-Math.log(1 - random()) * MINUTE) / perMinute
    const usd = (usdPerMinute / perMinute) * (1 / 3 + (4 / 3) * random())
    yield { at, usd, prompt: same ? 0 : ++prompt }
  }
}

/** A key that has been used lightly for a working week: an IDE that completes text in bursts. */
function lightKey(seed: number): KeyWatch {
  const watch = new KeyWatch()
  expect(play(watch, ide(seed, 40 * HOUR)).finding).toBeNull()
  return watch
}

/** Two minutes of many small requests, then a pause. */
function* ide(seed: number, ms: number): Generator<Step> {
  for (let from = 0; from < ms; from += 10 * MINUTE)
    yield* trace({ seed: seed + from, from, ms: 2 * MINUTE, perMinute: 60, usdPerMinute: 0.05 })
}

describe.each(SEEDS)('honest use, seed %i', (seed) => {
  const heavy = { seed, perMinute: 100, usdPerMinute: 3 }

  test('an agent with 100 requests and $3 a minute for an hour is not paused, with a new key', () => {
    expect(play(new KeyWatch(), trace({ ...heavy, ms: HOUR })).finding).toBeNull()
  })

  test('nor with a key that was used lightly before', () => {
    const watch = lightKey(seed)
    expect(watch.habit.busyUsd).toBeLessThan(0.2)
    expect(play(watch, trace({ ...heavy, from: 48 * HOUR, ms: HOUR })).finding).toBeNull()
  })

  test('a key that spends $6 a minute every day may do so, and twice as much', () => {
    const watch = new KeyWatch()
    expect(play(watch, trace({ ...heavy, usdPerMinute: 6, ms: 2 * HOUR })).finding).toBeNull()
    const busy = trace({ ...heavy, usdPerMinute: 12, from: 3 * HOUR, ms: HOUR })
    expect(play(watch, busy).finding).toBeNull()
  })

  test('a few very large requests are no loop', () => {
    const watch = lightKey(seed)
    const large = trace({ seed, from: 48 * HOUR, ms: 2 * MINUTE, perMinute: 5, usdPerMinute: 40 })
    expect(play(watch, large).finding).toBeNull()
  })

  test('the same prompt every ten seconds for a day is not paused while it costs next to nothing', () => {
    const ping = trace({ seed, ms: 24 * HOUR, perMinute: 6, usdPerMinute: 0.0001, same: true })
    expect(play(new KeyWatch(), ping).finding).toBeNull()
  })

  test('the same prompt three times an hour is not paused, whatever it costs', () => {
    const hourly = Array.from({ length: 300 }, (_, at) => ({ at: at * 20 * MINUTE, usd: 1, prompt: 7 }))
    expect(play(new KeyWatch(), hourly).finding).toBeNull()
  })
})

describe.each(SEEDS)('a loop that runs away, seed %i', (seed) => {
  test('of $27 in three minutes is paused below $17 with a new key, and below $11 with a light one', () => {
    const loop = { seed, perMinute: 180, usdPerMinute: 9, ms: 3 * MINUTE }
    const first = play(new KeyWatch(), trace(loop))
    expect(first.finding?.cause).toBe('spend')
    expect(first.usd).toBeLessThan(17)
    const light = play(lightKey(seed), trace({ ...loop, from: 48 * HOUR }))
    expect(light.finding?.cause).toBe('spend')
    expect(light.usd).toBeLessThan(11)
  })

  test('of $27 with one prompt is paused below $4, at any pace', () => {
    for (const usd of [0.05, 0.1]) {
      for (const perMinute of [1, 20, 200]) {
        const loop = trace({ seed, ms: 27 * HOUR, perMinute, usdPerMinute: perMinute * usd, same: true })
        const { finding, usd: spent, requests } = play(new KeyWatch(), loop)
        expect(finding?.cause).toBe('repeats')
        expect([spent < 4, requests <= 60]).toEqual([true, true])
      }
    }
  })

  test('among other requests is paused as well', () => {
    const loop = [...trace({ seed, ms: HOUR, perMinute: 10, usdPerMinute: 1, same: true })]
    const others = [...trace({ seed: seed + 100, ms: HOUR, perMinute: 40, usdPerMinute: 1 })]
    const { finding } = play(
      new KeyWatch(),
      [...loop, ...others].toSorted((a, b) => a.at - b.at),
    )
    expect(finding?.cause).toBe('repeats')
  })
})

test('a storm of retries after refusals is paused after 300 within five minutes', () => {
  const watch = new KeyWatch()
  const refuse = (at: number) => watch.refused(at, 'spend_limit_reached', levels.standard)
  const storm = Array.from({ length: 299 }, (_, at) => refuse(at * 100))
  expect(storm.every((finding) => finding === null)).toBe(true)
  expect(refuse(29_900)).toMatchObject({ cause: 'refusals', requests: 300, costUsd: 0 })
})

test('an editor that asks twice a minute at its cap for a day is not paused', () => {
  const watch = new KeyWatch()
  for (let at = 0; at < 24 * HOUR; at += 2 * SECOND)
    expect(watch.refused(at, 'spend_limit_reached', levels.standard)).toBeNull()
})

test('what the user has resumed may go four times as far', () => {
  const watch = new KeyWatch()
  const loop = (from: number) =>
    trace({ seed: 1, from, ms: HOUR, perMinute: 20, usdPerMinute: 2, same: true })
  const first = play(watch, loop(0))
  watch.forgive()
  const second = play(watch, loop(0))
  expect(second.requests).toBe(first.requests * 4)
})

test('a habit survives a restart, and forgets a busy day', () => {
  const watch = lightKey(3)
  const again = new KeyWatch(watch.habit.toStored())
  expect(again.habit.busyUsd).toBe(watch.habit.busyUsd)
  play(again, trace({ seed: 4, from: 48 * HOUR, ms: HOUR, perMinute: 100, usdPerMinute: 3 }))
  const busy = again.habit.busyUsd ?? 0
  expect(busy).toBeGreaterThan(2)
  for (let week = 1; week < 4; week++)
    for (const step of ide(week, 40 * HOUR))
      again.charged(step.at + week * 168 * HOUR, usdToNano(step.usd), null, levels.standard)
  expect(again.habit.busyUsd).toBeLessThan(0.2)
})

const user = (content: string) => ({ role: 'user' as const, content })
const step = (id: string, result: string): ChatRequest['messages'] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }],
  },
  { role: 'tool', tool_call_id: id, content: result },
]
const request = (...messages: ChatRequest['messages']): ChatRequest => ({ model: 'm', messages })

test('equal prompts are equal, whatever the ids of their calls', () => {
  const a = request(user('Do it.'), ...step('call_1', 'ok'))
  const b = request(user('Do it.'), ...step('call_2', 'ok'))
  expect(computeFingerprint(a)).toBe(computeFingerprint(b))
})

test.each<[string, ChatRequest]>([
  ['another model', { ...request(user('Do it.'), ...step('a', 'ok')), model: 'other' }],
  ['another result', request(user('Do it.'), ...step('a', 'failed'))],
  ['another first message', request(user('Do this.'), ...step('a', 'ok'))],
  [
    'the same step once more, in a context that has grown',
    request(user('Do it.'), ...step('a', 'ok'), ...step('b', 'ok')),
  ],
])('%s is another prompt', (_, other) => {
  expect(computeFingerprint(other)).not.toBe(computeFingerprint(request(user('Do it.'), ...step('a', 'ok'))))
})

test('of a large context only the ends are read', () => {
  const unread = () =>
    new Proxy(user('Go on.'), {
      ownKeys() {
        throw new Error('It is read.')
      },
    })
  const middle = Array.from({ length: 10_000 }, unread)
  const last = Array.from({ length: 4 }, () => user('x'.repeat(1000)))
  const subject = request(user('Do it.'), ...middle, ...last)
  expect(computeFingerprint(subject)).toBe(computeFingerprint(subject))
  expect(() => computeFingerprint(request(user('Do it.'), ...middle))).toThrow('It is read.')
})
