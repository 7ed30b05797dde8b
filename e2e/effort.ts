// The effort of a user for a task: the limits that tests set are product requirements.
import type { Page } from '@playwright/test'

interface Effort {
  clicks: number
  /** Keys pressed: fewer clicks must not mean more typing. */
  keys: number
  /** Pages loaded since counting began; a load would reset the counts. */
  loads: number
}

/** Counts clicks, key presses and page loads from now on. */
export async function countEffort(window: Page): Promise<() => Promise<Effort>> {
  let loads = 0
  window.on('load', () => {
    loads += 1
  })
  await window.evaluate(() => {
    const counts = { clicks: 0, keys: 0 }
    Reflect.set(globalThis, 'effort', counts)
    // A select reacts to pointerdown and to pointerup; each press of the button counts once.
    addEventListener('pointerdown', ({ isTrusted }) => (counts.clicks += isTrusted ? 1 : 0), {
      capture: true,
    })
    addEventListener('keydown', ({ isTrusted }) => (counts.keys += isTrusted ? 1 : 0), { capture: true })
  })
  return async () => ({ loads, ...(await window.evaluate(() => Reflect.get(globalThis, 'effort'))) })
}
