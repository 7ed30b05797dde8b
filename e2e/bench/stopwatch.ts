// Owns measuring in the page itself: from the pointer going down to the frame in which something is on the screen. Knows
// nothing of views.
import type { Locator, Page } from '@playwright/test'

/** What must hold for the clock to stop, in terms of the page. */
export interface Painted {
  /** At least one of each is there. */
  shown: readonly string[]
  /** None of these is. */
  gone?: readonly string[]
  /** It was busy and is not any more, or its text is another: the answer to what was asked is there. */
  renewed?: { selector: string; text: string }
}

/**
 * Clicks, and gives the milliseconds from the click's own time stamp until all is in the page and the next frame has begun
 * after that, which is when the browser has painted it.
 */
export async function timeClick(window: Page, target: Locator, painted: Painted): Promise<number> {
  // Neither the way of the mouse nor a tooltip is part of it.
  await target.hover()
  const time = window.evaluate(until, { painted, from: 'pointerdown' as const })
  // The clock listens before the click is sent.
  await window.evaluate(() => undefined)
  await target.click()
  return await time
}

/** Loads the page anew, and gives the milliseconds from the start of that until all is painted. */
export async function timeReload(window: Page, painted: Painted): Promise<number> {
  await window.reload({ waitUntil: 'commit' })
  return await window.evaluate(until, { painted, from: 'load' as const })
}

/** Runs in the page. */
async function until({ painted, from }: { painted: Painted; from: 'pointerdown' | 'load' }): Promise<number> {
  const { shown, gone = [], renewed } = painted
  const started =
    from === 'load'
      ? 0
      : await new Promise<number>((begin) =>
          addEventListener(from, (event) => begin(event.timeStamp), { capture: true, once: true }),
        )
  let wasBusy = false
  const observer = new MutationObserver(() => {
    wasBusy ||= document.querySelector('[aria-busy=true]') !== null
  })
  observer.observe(document, { subtree: true, childList: true, attributeFilter: ['aria-busy'] })
  const isRenewed = () => {
    if (renewed === undefined) return true
    if (document.querySelector('[aria-busy=true]') !== null) return false
    return wasBusy || document.querySelector(renewed.selector)?.textContent !== renewed.text
  }
  const holds = () =>
    shown.every((selector) => document.querySelector(selector) !== null) &&
    gone.every((selector) => document.querySelector(selector) === null) &&
    isRenewed()
  const frame = () => new Promise<number>((next) => requestAnimationFrame(next))
  do await frame()
  while (!holds())
  // What holds when a frame begins was painted at the end of the frame before, or will be at the end of this one.
  await frame()
  observer.disconnect()
  return performance.now() - started
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export function share(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
