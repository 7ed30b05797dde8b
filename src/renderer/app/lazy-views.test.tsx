import { expect, test, vi } from 'vitest'
import { overviewDetails } from '../features/overview/overview.tsx'
import { preloadView } from './lazy-views.ts'

test('Overview is loaded with the amounts below its cards', async () => {
  const loading = Promise.withResolvers<unknown>()
  const details = vi.spyOn(overviewDetails, 'preload').mockReturnValue(loading.promise)
  let loaded = false
  const view = preloadView('/').then(() => {
    loaded = true
  })
  await vi.waitFor(() => expect(details).toHaveBeenCalledTimes(1))
  expect(loaded).toBe(false)
  loading.resolve(null)
  await view
  details.mockRestore()
})
