import { describe, expect, it } from 'vitest'
import { CircuitBreakers } from './circuit-breaker.ts'

describe('CircuitBreakers', () => {
  function setUp() {
    let time = 1000
    const changes: string[] = []
    const breakers = new CircuitBreakers({ now: () => time + 1_000_000, monotonic: () => time }, (id) =>
      changes.push(id),
    )
    const fail = (times: number) => {
      for (let n = 0; n < times; n += 1) breakers.recordFailure('acme', 'broken')
    }
    const pass = (ms: number) => {
      time += ms
    }
    return { breakers, changes, fail, pass }
  }

  it('opens after 5 failures in a row, for 30 s', () => {
    const { breakers, changes, fail, pass } = setUp()
    fail(4)
    breakers.recordSuccess('acme')
    fail(4)
    const last = { lastError: 'broken', lastErrorAt: 1_001_000 }
    expect(breakers.state('acme')).toEqual({ state: 'closed', until: null, ...last })
    fail(1)
    expect(breakers.allows('acme')).toBe(false)
    expect(breakers.state('acme')).toEqual({ state: 'open', until: 1_031_000, ...last })
    pass(30_000)
    expect(breakers.allows('acme')).toBe(true)
    expect(breakers.state('acme').state).toBe('half-open')
    expect(changes).toEqual(['acme'])
  })

  it('allows one probe, and opens twice as long after a failed one, at most 5 minutes', () => {
    const { breakers, fail, pass } = setUp()
    fail(5)
    for (const openMs of [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
      pass(openMs - 1)
      expect(breakers.allows('acme')).toBe(false)
      pass(1)
      expect(breakers.allows('acme')).toBe(true)
      breakers.recordCall('acme')
      expect(breakers.allows('acme')).toBe(false)
      fail(1)
    }
  })

  it('closes after a successful probe, and resets its open time', () => {
    const { breakers, fail, pass } = setUp()
    fail(5)
    pass(30_000)
    breakers.recordCall('acme')
    breakers.recordSuccess('acme')
    expect(breakers.state('acme')).toEqual({
      state: 'closed',
      until: null,
      lastError: null,
      lastErrorAt: null,
    })
  })

  it('allows another probe after an inconclusive one', () => {
    const { breakers, fail, pass } = setUp()
    fail(5)
    pass(30_000)
    breakers.recordCall('acme')
    breakers.recordNeutral('acme')
    expect(breakers.allows('acme')).toBe(true)
  })

  it('does not stay open longer because of calls that were made while it was open', () => {
    const { breakers, fail, pass } = setUp()
    fail(5)
    pass(10_000)
    fail(3)
    pass(20_000)
    expect(breakers.allows('acme')).toBe(true)
  })
})
