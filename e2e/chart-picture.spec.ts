import { join } from 'node:path'
import { expect } from '@playwright/test'
import { seed } from '../src/tooling/seed/seed.ts'
import { test } from './app.ts'
import { captureDownload } from './views.ts'

test('a chart is saved as a picture, and printed alone', async ({ launcher }) => {
  const dataDir = launcher.newDataDir()
  seed(dataDir, { requests: 2_000, days: 30, now: Date.now() })
  const { electron, window } = await launcher.launch({ dataDir })
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
})
