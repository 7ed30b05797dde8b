import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { EventHub } from '../../platform/events.ts'
import { silentLog } from '../../platform/log.ts'
import { temporary } from '../../store/testing/samples.ts'
import { createFailingStore } from '../../testing/failing-store.ts'
import { Activity, GATEWAY } from './activity.ts'

const { tempStore } = temporary(onTestFinished)

test('what cannot be stored is stored once, in order, when the disk works again', async () => {
  const { store, fail, recover } = createFailingStore(await tempStore())
  const deps = { store, clock: systemClock, events: new EventHub(), log: silentLog, retryMs: 5 }
  const activity = new Activity(deps)
  onTestFinished(() => activity.close())
  const kinds = async () => (await activity.list({ limit: 50 }, GATEWAY)).data.map(({ kind }) => kind)
  fail()
  activity.record({ kind: 'all-paused', actor: GATEWAY, subject: null })
  activity.record({ kind: 'all-resumed', actor: GATEWAY, subject: null })
  expect(await kinds()).toEqual([])
  recover()
  await vi.waitFor(async () => expect(await kinds()).toEqual(['all-resumed', 'all-paused']))
  await activity.close()
  expect(await kinds()).toHaveLength(2)
})
