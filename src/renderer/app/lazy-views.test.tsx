import { afterEach, expect, test, vi } from 'vitest'
import { overviewDetails } from '../features/overview/overview.tsx'
import { preloadWhenIdle } from './lazy-views.ts'
import { palettePanel } from './palette/palette.tsx'

afterEach(() => vi.unstubAllGlobals())

test('nothing else is loaded before the rest of Overview', async () => {
  const idle: (() => void)[] = []
  vi.stubGlobal('requestIdleCallback', (run: () => void) => idle.push(run))
  vi.stubGlobal('cancelIdleCallback', () => {})
  const loading = Promise.withResolvers<unknown>()
  const details = vi.spyOn(overviewDetails, 'preload').mockReturnValue(loading.promise)
  const palette = vi.spyOn(palettePanel, 'preload').mockResolvedValue(null)
  const stop = preloadWhenIdle()
  idle.shift()?.()
  await vi.waitFor(() => expect(details).toHaveBeenCalledTimes(1))
  expect(idle).toEqual([])
  loading.resolve(null)
  await vi.waitFor(() => expect(idle).toHaveLength(1))
  expect(palette).not.toHaveBeenCalled()
  idle.shift()?.()
  expect(palette).toHaveBeenCalledTimes(1)
  stop()
  details.mockRestore()
  palette.mockRestore()
})
