import { expect, it } from 'vitest'
import { rowAfterKey } from './row-focus.ts'

it('keys move by a row or a page, or to an end, and never beyond', () => {
  const to = (key: string, from: number) => rowAfterKey(key, from, 99, 20)
  expect(['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End'].map((key) => to(key, 50))).toEqual([
    51, 49, 70, 30, 0, 99,
  ])
  expect([to('ArrowDown', 99), to('PageDown', 95), to('ArrowUp', 0), to('PageUp', 5)]).toEqual([99, 99, 0, 0])
  expect(to('a', 5)).toBeNull()
})
