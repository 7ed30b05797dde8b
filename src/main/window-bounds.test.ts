import { expect, test } from 'vitest'
import { firstBounds, placeMeter } from './window-bounds.ts'

const LAPTOP = { x: 0, y: 27, width: 1280, height: 773 }
const MONITOR = { x: 1280, y: 0, width: 2560, height: 1400 }
const open = (previous?: Parameters<typeof firstBounds>[0]) =>
  firstBounds(previous, [LAPTOP, MONITOR], LAPTOP)

test('the first window fits between the panels of a small screen, with its frame', () => {
  expect(open()).toEqual({ width: 1240, height: 725 })
  expect(firstBounds(undefined, [MONITOR], MONITOR)).toEqual({ width: 1240, height: 820 })
})

test('the window opens where it was, no larger than the screen has become and no smaller than it can be', () => {
  expect(open({ x: 1500, y: 80, width: 1400, height: 1000 })).toEqual({
    x: 1500,
    y: 80,
    width: 1400,
    height: 1000,
  })
  expect(open({ x: 10, y: 40, width: 2000, height: 1200 })).toEqual({
    x: 10,
    y: 40,
    width: 1264,
    height: 725,
  })
  expect(open({ x: 10, y: 40, width: 300, height: 200 })).toEqual({ x: 10, y: 40, width: 900, height: 600 })
})

test('bounds on a screen that is gone, or above all of them, are forgotten', () => {
  expect(open({ x: 9000, y: 80, width: 1400, height: 1000 })).toEqual({ width: 1240, height: 725 })
  expect(open({ x: 10, y: -200, width: 1000, height: 700 })).toEqual({ width: 1240, height: 725 })
})

test('the taximeter opens where it was, or at the top right of the primary display', () => {
  const place = (previous?: { x: number; y: number }) => placeMeter(previous, [LAPTOP, MONITOR], LAPTOP)
  expect(place()).toEqual({ x: 964, y: 43, width: 300, height: 168 })
  expect(place({ x: 3_000, y: 900 })).toMatchObject({ x: 3_000, y: 900 })
  expect(place({ x: 9_000, y: 900 })).toMatchObject({ x: 964, y: 43 })
})
