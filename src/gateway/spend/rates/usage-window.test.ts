import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Limits, UsageWindow } from './rate-limits.ts'

const MINUTE = 60_000

interface Use {
  number: number
  at: number
  tokens: number
}

/** A window like `UsageWindow`, in the simplest way. */
class Model {
  uses: Use[] = []

  count(now: number): Limits {
    this.uses = this.uses.filter(({ at }) => at > now - MINUTE)
    return { requests: this.uses.length, tokens: this.uses.reduce((sum, { tokens }) => sum + tokens, 0) }
  }

  freesIn(now: number, what: keyof Limits): number {
    this.count(now)
    const next = this.uses.find(({ tokens }) => what === 'requests' || tokens > 0)
    return next ? next.at + MINUTE - now : 0
  }

  waitMs(now: number, limits: Limits, asked: number): number {
    this.count(now)
    for (let left = 0; left <= this.uses.length; left++) {
      const rest = this.uses.slice(left)
      const used = rest.reduce((sum, { tokens }) => sum + tokens, 0)
      const hasTokens = used + asked <= limits.tokens || rest.length === 0
      if (rest.length < limits.requests && hasTokens)
        return left === 0 ? 0 : (this.uses[left - 1]?.at ?? 0) + MINUTE - now
    }
    return 0
  }
}

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add' as const), tokens: fc.nat({ max: 5 }) }) },
  fc.record({ kind: fc.constant('correct' as const), tokens: fc.nat({ max: 5 }), which: fc.nat() }),
  fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 30_000 }) }),
)

test('the window counts as a list of all uses of the last minute does', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const window = new UsageWindow()
      const model = new Model()
      const numbers: number[] = []
      let now = 1
      for (const each of steps) {
        const number = 'which' in each ? (numbers[each.which % Math.max(numbers.length, 1)] ?? -1) : -1
        switch (each.kind) {
          case 'add': {
            const added = window.add(now, each.tokens)
            numbers.push(added)
            model.uses.push({ number: added, at: now, tokens: each.tokens })
            break
          }
          case 'correct': {
            window.correct(number, each.tokens)
            const found = model.uses.find((use) => use.number === number)
            if (found) found.tokens = each.tokens
            break
          }
          case 'remove':
            window.remove(number)
            model.uses = model.uses.filter((use) => use.number !== number)
            break
          case 'wait':
            now += each.ms
        }
        const limits = { requests: 4, tokens: 8 }
        const asked = [window.freesIn(now, 'requests'), window.freesIn(now, 'tokens')]
        expect(asked).toEqual([model.freesIn(now, 'requests'), model.freesIn(now, 'tokens')])
        expect(window.waitMs(now, limits, 3)).toBe(model.waitMs(now, limits, 3))
        expect(window.count(now)).toEqual(model.count(now))
      }
    }),
    { numRuns: 500 },
  )
})

test('a use that has left the window is neither corrected nor removed again, when its place has another one', () => {
  const window = new UsageWindow()
  const old = window.add(0, 5)
  expect(window.count(MINUTE)).toEqual({ requests: 0, tokens: 0 })
  for (let each = 0; each < 16; each++) window.add(MINUTE, 1)
  window.correct(old, 100)
  window.remove(old)
  expect(window.count(MINUTE)).toEqual({ requests: 16, tokens: 16 })
})

test('millions of uses are counted, and forgotten', () => {
  const window = new UsageWindow()
  for (let at = 1; at <= 2_000_000; at++) window.add(at / 100, 1)
  expect(window.count(20_000)).toEqual({ requests: 2_000_000, tokens: 2_000_000 })
  expect(window.count(20_000 + MINUTE - 0.005)).toEqual({ requests: 1, tokens: 1 })
})
