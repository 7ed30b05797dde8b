import { expect, test } from 'vitest'
import { tempStore } from '../store/testing/temp-store.ts'
import { createFailingStore } from '../testing/failing-store.ts'
import { Settings } from './settings.ts'

test('concurrent changes are both applied, in memory and on disk', async () => {
  const store = await tempStore()
  const settings = new Settings(store, { settings: { storeBodies: true } })
  await Promise.all([settings.update({ storeBodies: false }), settings.update({ retentionDays: 30 })])
  expect(settings.value).toMatchObject({ storeBodies: false, retentionDays: 30 })
  expect((await store.read('loadState')).settings.settings).toEqual(settings.value)
})

test('a change that cannot be written has no effect, and the next one succeeds', async () => {
  const { store, fail, recover } = createFailingStore(await tempStore())
  const settings = new Settings(store, {})
  fail()
  await expect(settings.update({ storeBodies: true })).rejects.toMatchObject({ code: 'full' })
  expect(settings.value.storeBodies).toBe(false)
  recover()
  expect(await settings.update({ retentionDays: 7 })).toMatchObject({ storeBodies: false, retentionDays: 7 })
})

test('a stored member that is no longer valid falls back to its default, the others do not', async () => {
  const settings = new Settings(await tempStore(), {
    settings: { allowedOrigins: ['*-extension://x'], storeBodies: true, retentionDays: 7, gone: 1 },
  })
  expect(settings.value).toMatchObject({ allowedOrigins: [], storeBodies: true, retentionDays: 7 })
  expect(settings.value).not.toHaveProperty('gone')
})
