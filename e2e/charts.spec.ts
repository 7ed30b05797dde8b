import { join } from 'node:path'
import { expect, type Locator, type Page } from '@playwright/test'
import { Account } from '../src/shared/api/account.ts'
import { seed } from '../src/tooling/seed/seed.ts'
import { shareApp, test } from './app.ts'
import { captureDownload, open } from './views.ts'

const shared = shareApp((dataDir) => seed(dataDir, { requests: 2_000, days: 30, now: Date.now() }))

test('a daily limit is set by dragging its line in Overview, and taken back', async () => {
  const { window, get } = shared.app
  const handle = window.getByRole('slider', { name: 'Daily limit' })
  await expect(handle).toHaveAttribute('aria-valuetext', 'No limit')
  const box = await handle.boundingBox()
  if (!box) throw new Error('The line has no handle.')
  await window.mouse.move(box.x + 8, box.y + 8)
  await window.mouse.down()
  await window.mouse.move(box.x + 8, box.y + 90, { steps: 4 })
  await window.mouse.up()
  const usd = Number(await handle.getAttribute('aria-valuenow'))
  const trial = window.getByRole('region', { name: 'Trial of a daily limit' })
  await expect(trial).toContainText(/Would have stopped your keys on .* less\./)
  expect(await get('/v1/account', Account)).toMatchObject({ spendLimits: [] })
  await trial.getByRole('button', { name: 'Set limit' }).click()
  await expect(trial).toBeHidden()
  expect((await get('/v1/account', Account)).spendLimits).toMatchObject([{ per: 'day', usd }])
  await window.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await get('/v1/account', Account)).spendLimits).toEqual([])
})

test('a chart is saved as a picture, and printed alone', async () => {
  const { electron, window, dataDir } = shared.app
  await window.getByRole('button', { name: 'Share this chart' }).click()
  const picture = window.getByRole('dialog').getByRole('img', { name: /^Spend by model/ })
  await expect(picture).toBeVisible()
  const path = join(dataDir, 'picture.png')
  const saved = await captureDownload(electron, path)
  await window.getByRole('button', { name: 'Save picture' }).click()
  await saved()
  const pixels = await electron.evaluate(({ nativeImage }, from) => {
    const image = nativeImage.createFromPath(from)
    return { size: image.getSize(), colors: new Set(image.toBitmap().subarray(0, 4_000_000)).size }
  }, path)
  expect(pixels.size).toEqual({ width: 2400, height: 1350 })
  // Text has many shades of gray at its edges.
  expect(pixels.colors).toBeGreaterThan(50)
  await window.emulateMedia({ media: 'print' })
  await expect(picture).toBeVisible()
  await expect(window.getByRole('button', { name: 'Copy picture', includeHidden: true })).toBeHidden()
  await expect(window.getByRole('navigation', { name: 'Views', includeHidden: true })).toBeHidden()
  await window.emulateMedia({ media: null })
  await window.keyboard.press('Escape')
})

test('part of the chart in Usage becomes the range of all its rows', async () => {
  const { window } = shared.app
  await open(window, 'Usage')
  const chart = window.getByRole('group', { name: /^Spend by period/ })
  const total = window.getByRole('treegrid', { name: 'Usage' }).getByRole('row', { name: /^Total/ })
  const before = await total.textContent()
  const last = window.locator('figure tbody tr').last()
  const dates = window.getByRole('button', { name: /^Date range:/ })
  await expect(dates).toContainText('Last 7 days')
  // The table for screen readers has the day that the last column shows.
  const day = await last.locator('th').textContent()
  await drag(window, chart, { from: 0.98, to: 0.6 })
  await expect(dates).toContainText(day ?? '')
  await expect(total).not.toHaveText(before ?? '')
  await expect(window.locator('figure tbody tr')).toHaveCount(await countDays(dates))
})

/** Drags over a chart. `from`, `to`: shares of its width. */
async function drag(window: Page, chart: Locator, { from, to }: { from: number; to: number }): Promise<void> {
  const box = await chart.boundingBox()
  if (!box) throw new Error('The chart is not shown.')
  const y = box.y + box.height / 2
  await window.mouse.move(box.x + box.width * from, y)
  await window.mouse.down()
  await window.mouse.move(box.x + box.width * to, y, { steps: 5 })
  await window.mouse.up()
}

/** The days of a range such as "26–27 Nov". */
async function countDays(dates: Locator): Promise<number> {
  const [first, last] = [...((await dates.textContent()) ?? '').matchAll(/\b\d{1,2}\b/g)].map(Number)
  return first === undefined || last === undefined ? 1 : ((last - first + 31) % 31) + 1
}
