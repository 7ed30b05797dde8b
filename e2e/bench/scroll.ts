import type { Page } from '@playwright/test'
import { percentile } from './stopwatch.ts'

export interface Scrolled {
  /** Milliseconds between consecutive animation frames. */
  frames: number[]
  px: number
}

/** Scrolls down for about `ms` at `speed` pixels a second, starting in the middle of the window. */
export async function scroll(window: Page, ms: number, speed: number): Promise<Scrolled> {
  const session = await window.context().newCDPSession(window)
  const { width, height } = await window.evaluate(() => ({ width: innerWidth, height: innerHeight }))
  await window.evaluate(() => {
    const frames: number[] = []
    let last = 0
    const record = (now: number) => {
      if (last > 0) frames.push(now - last)
      last = now
      if (Reflect.get(globalThis, 'frameTimes') === frames) requestAnimationFrame(record)
    }
    Reflect.set(globalThis, 'frameTimes', frames)
    requestAnimationFrame(record)
  })
  const px = (speed * ms) / 1000
  await session.send('Input.synthesizeScrollGesture', {
    x: width / 2,
    y: height / 2,
    yDistance: -px,
    speed,
    gestureSourceType: 'mouse',
  })
  const frames = await window.evaluate(() => {
    const recorded: number[] = Reflect.get(globalThis, 'frameTimes')
    Reflect.deleteProperty(globalThis, 'frameTimes')
    return recorded
  })
  await session.detach()
  return { frames, px }
}

export interface Smoothness {
  fps: number
  p50: number
  p95: number
  p99: number
  /** The fraction of frames that took longer than 20 ms: a 60 Hz display dropped one. */
  late: number
}

export function measureSmoothness(frames: readonly number[]): Smoothness {
  const total = frames.reduce((sum, ms) => sum + ms, 0)
  return {
    fps: (frames.length * 1000) / total,
    p50: percentile(frames, 0.5),
    p95: percentile(frames, 0.95),
    p99: percentile(frames, 0.99),
    late: frames.filter((ms) => ms > 20).length / frames.length,
  }
}
