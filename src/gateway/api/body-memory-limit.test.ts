import { expect, test } from 'vitest'
import { BodyBudget, UNBOUNDED } from './body-memory-limit.ts'

const busy = expect.objectContaining({ status: 503, body: expect.objectContaining({ code: 'busy' }) })

test('refuses bytes while others of the same holder are held, and lets them in when those are given back', () => {
  const budget = new BodyBudget(100)
  const first = budget.hold('a')
  first.take(30)
  first.take(20)
  const second = budget.hold('a')
  expect(() => second.take(1)).toThrow(busy)
  first.release()
  second.take(50)
})

test('holds what has come and not what was announced', () => {
  const budget = new BodyBudget(100)
  for (let i = 0; i < 10; i++) budget.hold('a').check(50)
  budget.hold('a').take(50)
})

test('checks an announcement before a byte of it is held', () => {
  const hold = new BodyBudget(100).hold('a')
  expect(() => hold.check(51)).toThrow(busy)
  hold.check(50)
})

test('a holder that takes all it can leaves room for every other one', () => {
  const budget = new BodyBudget(1024)
  for (const holder of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const hold = budget.hold(holder)
    hold.take(1)
    for (let most = 512; most >= 1; most /= 2) {
      try {
        for (;;) hold.take(most)
      } catch (error) {
        expect(error).toEqual(busy)
      }
    }
  }
})

test('gives back once what is released twice', () => {
  const budget = new BodyBudget(100)
  const [first, second] = [budget.hold('a'), budget.hold('a')]
  first.take(25)
  second.take(25)
  first.release()
  first.release()
  expect(() => budget.hold('a').take(26)).toThrow(busy)
})

test('the unbounded hold is never refused', () => {
  UNBOUNDED.take(Number.MAX_SAFE_INTEGER)
  UNBOUNDED.take(Number.MAX_SAFE_INTEGER)
})
