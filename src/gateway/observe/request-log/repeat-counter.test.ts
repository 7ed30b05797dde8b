import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Countable, RepeatCounter } from './repeat-counter.ts'

let now = 0
const clock = { now: () => 1_000_000 + now, monotonic: () => now }
let repeats: RepeatCounter<Countable>
let reported: number[] = []
const add = (kind: string, id: string) => repeats.add(kind, id, () => ({ id, count: 1, lastAt: null }))

beforeEach(() => {
  now = 0
  reported = []
  repeats = new RepeatCounter(clock, ({ count }) => reported.push(count))
  return () => repeats.flush()
})

describe('repeats', () => {
  test('are counted in the row of the first call of their kind', () => {
    const row = add('a', '1')
    now = 500
    expect(add('a', '2')).toBeNull()
    now = 59_999
    expect(add('a', '3')).toBeNull()
    expect(row).toEqual({ id: '1', count: 3, lastAt: 1_059_999 })
    expect(repeats.findRow('3')).toBe(row)
    expect(add('b', '4')).toEqual({ id: '4', count: 1, lastAt: null })
  })

  test('start a new row after a minute, no matter how often the call was repeated', () => {
    add('a', '1')
    now = 59_999
    add('a', '2')
    now = 60_000
    expect(add('a', '3')).toEqual({ id: '3', count: 1, lastAt: null })
  })

  test('report a rising count at most once a second', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    for (let call = 0; call < 100; call++) add('a', String(call))
    expect(reported).toEqual([])
    vi.advanceTimersByTime(1_000)
    expect(reported).toEqual([100])
    vi.advanceTimersByTime(5_000)
    expect(reported).toEqual([100])
  })

  test('are remembered for a bounded number of kinds and calls', () => {
    for (let kind = 0; kind < 1_001; kind++) add(`kind ${kind}`, `${kind}`)
    expect(add('kind 1', 'x')).toBeNull()
    expect(add('kind 0', 'y')).not.toBeNull()
    for (let call = 0; call < 10_000; call++) add('kind 9', `again ${call}`)
    expect(repeats.findRow('x')).toBeUndefined()
    expect(repeats.findRow('again 9999')).toBeDefined()
  })
})
