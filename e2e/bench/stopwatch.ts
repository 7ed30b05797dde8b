// Measures inside the page, from pointerdown to the frame in which the result is painted.
import type { Locator, Page } from '@playwright/test'

/** When the stopwatch stops. */
export interface Painted {
  /** Selectors that must match. */
  shown: readonly string[]
  /** Selectors that must not match. */
  gone?: readonly string[]
  /** The page was busy and is idle again, or this element's text has changed. */
  renewed?: { selector: string; text: string }
}

/** Clicks, and returns the milliseconds from the event's time stamp until the frame after the condition holds began. */
export async function timeClick(window: Page, target: Locator, painted: Painted): Promise<number> {
  // Moving the mouse and opening a tooltip should not be measured.
  await target.hover()
  const time = window.evaluate(until, { painted, from: 'pointerdown' as const })
  // A round trip, so that the listener is installed before the click.
  await window.evaluate(() => undefined)
  await target.click()
  return await time
}

/** Reloads the page, and returns the milliseconds until the condition is painted. */
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
  // A change seen at the start of a frame is painted at the end of that frame at the latest.
  await frame()
  observer.disconnect()
  return performance.now() - started
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
