// The scripts that the window loads before Overview shows its amounts, as a user's computer fetches them.
import { statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { expect, type Request } from '@playwright/test'
import { seed } from '../src/tooling/seed/seed.ts'
import { test } from './app.ts'
import { type FrontEnd, frontEnds, resetAdminKey } from './front-ends.ts'

const MAX = 400_000
/** Of the amounts that Overview shows in the end, those that count as its first ones. */
const SHARE = 0.9
const assets = resolve(import.meta.dirname, '../out/renderer/assets')

for (const [name, start] of Object.entries(frontEnds)) {
  test(`${name} fetches at most ${MAX / 1000} kB of scripts until Overview shows nine of ten amounts`, async ({
    launcher,
  }) => {
    const dataDir = launcher.newDataDir()
    seed(dataDir, { requests: 2_000, days: 30, now: Date.now() })
    const { window } = await start(launcher, { dataDir, adminKey: await resetAdminKey(dataDir) })
    await window.addInitScript(() => {
      let most = 0
      const look = () => {
        const count = document.querySelector('main')?.textContent?.match(/\$\d/g)?.length ?? 0
        if (count > most) performance.mark('amounts', { detail: count })
        most = Math.max(most, count)
        requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
    const requests: Request[] = []
    window.on('request', (request) => requests.push(request))
    await window.reload()
    // The controls come last.
    await expect(window.getByRole('button', { name: 'Share this chart' })).toBeVisible()
    const { startedAt, shownAt, count } = await readTimes(window)
    expect(count).toBeGreaterThan(20)
    const fetched = requests
      .filter((request) => request.resourceType() === 'script')
      .filter((request) => {
        const at = request.timing().startTime
        return at >= startedAt && at <= shownAt
      })
      .map((request) => basename(new URL(request.url()).pathname))
    expect(fetched.length).toBeGreaterThan(1)
    const sizes = fetched.map((script) => ({ script, bytes: statSync(join(assets, script)).size }))
    const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0)
    expect(bytes, JSON.stringify(sizes)).toBeLessThanOrEqual(MAX)
  })
}

/**
 * When the page was loaded, and when the frame with nine of ten amounts began, in milliseconds since 1970; and the number of
 * all amounts.
 */
function readTimes(
  window: FrontEnd['window'],
): Promise<{ startedAt: number; shownAt: number; count: number }> {
  return window.evaluate((share) => {
    const marks = performance.getEntriesByName('amounts') as PerformanceMark[]
    const count: number = marks.at(-1)?.detail ?? 0
    const mark = marks.find(({ detail }) => detail >= share * count)
    if (mark === undefined) throw new Error('No amount was shown.')
    const { timeOrigin } = performance
    return { startedAt: timeOrigin, shownAt: timeOrigin + mark.startTime, count }
  }, SHARE)
}
