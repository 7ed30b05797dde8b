// The scripts that the window loads before it shows a number, as a user's computer fetches them.
import { statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { expect, type Request } from '@playwright/test'
import { test } from './app.ts'
import { type FrontEnd, frontEnds } from './front-ends.ts'

const MAX = 400_000
const assets = resolve(import.meta.dirname, '../out/renderer/assets')

for (const [name, start] of Object.entries(frontEnds)) {
  test(`${name} fetches at most ${MAX / 1000} kB of scripts until Overview shows an amount`, async ({
    launcher,
  }) => {
    const { window } = await start(launcher)
    await window.addInitScript(() => {
      const look = () => {
        if (/\$\d/.test(document.querySelector('main')?.textContent ?? '')) performance.mark('first-number')
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
    const requests: Request[] = []
    window.on('request', (request) => requests.push(request))
    await window.reload()
    await expect(window.getByRole('heading', { name: 'Caps', exact: true })).toBeVisible()
    const { startedAt, shownAt } = await readTimes(window)
    const fetched = requests
      .filter((request) => request.resourceType() === 'script')
      .filter((request) => {
        const at = request.timing().startTime
        return at >= startedAt && at <= shownAt
      })
      .map((request) => basename(new URL(request.url()).pathname))
    expect(fetched.length).toBeGreaterThan(1)
    const sizes = fetched.map((script) => ({ script, bytes: statSync(join(assets, script)).size }))
    const bytes = sizes.reduce((sum, each) => sum + each.bytes, 0)
    expect(bytes, JSON.stringify(sizes)).toBeLessThanOrEqual(MAX)
  })
}

/** When the page was loaded, and when the frame with the first amount began, in milliseconds since 1970. */
function readTimes(window: FrontEnd['window']): Promise<{ startedAt: number; shownAt: number }> {
  return window.evaluate(() => {
    const [mark] = performance.getEntriesByName('first-number')
    if (mark === undefined) throw new Error('No amount was shown.')
    const { timeOrigin } = performance
    return { startedAt: timeOrigin, shownAt: timeOrigin + mark.startTime }
  })
}
