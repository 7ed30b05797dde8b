import { expect, it } from 'vitest'
import { destination } from './row-keys.ts'

it('walks a row or a view at a time, and to the ends, and never beyond them', () => {
  const to = (key: string, from: number) => destination(key, from, 99, 20)
  expect(['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End'].map((key) => to(key, 50))).toEqual([
    51, 49, 70, 30, 0, 99,
  ])
  expect([to('ArrowDown', 99), to('PageDown', 95), to('ArrowUp', 0), to('PageUp', 5)]).toEqual([99, 99, 0, 0])
  expect(to('a', 5)).toBeNull()
})
