import { describe, expect, it } from 'vitest'
import { Breakers } from './circuit-breaker.ts'

describe('Breakers', () => {
  function setUp() {
    let time = 1000
    const changes: string[] = []
    const breakers = new Breakers({ now: () => time + 1_000_000, monotonic: () => time }, (id) =>
      changes.push(id),
    )
    const fail = (times: number) => {
      for (let n = 0; n < times; n += 1) breakers.failed('acme', 'broken')
    }
    const pass = (ms: number) => {
      time += ms
    }
    return { breakers, changes, fail, pass }
  }

  it('rests a provider after 5 failures in a row, for 30 s', () => {
    const { breakers, changes, fail, pass } = setUp()
    fail(4)
    breakers.succeeded('acme')
    fail(4)
    expect(breakers.state('acme')).toEqual({ state: 'ready', until: null, lastError: 'broken' })
    fail(1)
    expect(breakers.isReady('acme')).toBe(false)
    expect(breakers.state('acme')).toEqual({ state: 'resting', until: 1_031_000, lastError: 'broken' })
    pass(30_000)
    expect(breakers.isReady('acme')).toBe(true)
    expect(changes).toEqual(['acme'])
  })

  it('lets one probe through, rests twice as long after a failed one, at most 5 minutes', () => {
    const { breakers, fail, pass } = setUp()
    fail(5)
    for (const rest of [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
      pass(rest - 1)
      expect(breakers.isReady('acme')).toBe(false)
      pass(1)
      expect(breakers.isReady('acme')).toBe(true)
      breakers.calling('acme')
      expect(breakers.isReady('acme')).toBe(false)
      fail(1)
    }
  })

  it('is ready after a good probe, and forgets how long it rested', () => {
    const { breakers, fail, pass } = setUp()
    fail(5)
    pass(30_000)
    breakers.calling('acme')
    breakers.succeeded('acme')
    expect(breakers.state('acme')).toEqual({ state: 'ready', until: null, lastError: null })
  })

  it('lets the next one probe when a probe says nothing', () => {
    const { breakers, fail, pass } = setUp()
    fail(5)
    pass(30_000)
    breakers.calling('acme')
    breakers.released('acme')
    expect(breakers.isReady('acme')).toBe(true)
  })

  it('does not lengthen a rest for calls that were made in spite of it', () => {
    const { breakers, fail, pass } = setUp()
    fail(5)
    pass(10_000)
    fail(3)
    pass(20_000)
    expect(breakers.isReady('acme')).toBe(true)
  })
})
