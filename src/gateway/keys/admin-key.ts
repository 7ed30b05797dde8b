import type { KeyCreated } from '../../shared/keys.ts'
import { systemClock } from '../platform/clock.ts'
import { EventHub } from '../platform/events.ts'
import type { Log } from '../platform/log.ts'
import { openStore } from '../store/store.ts'
import { ApiKeys } from './api-keys.ts'

/** Creates an admin key while no gateway runs. The caller holds the data dir's lock. */
export async function createAdminKey(dataDir: string, log: Log): Promise<KeyCreated> {
  const store = await openStore({ dataDir, log })
  try {
    const keys = new ApiKeys({ store, clock: systemClock, events: new EventHub() }, [])
    return await keys.create({ name: 'Admin', scope: 'admin' })
  } finally {
    await store.close()
  }
}
