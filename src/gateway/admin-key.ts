// Owns the making of an admin key while no gateway runs. The host holds the data dir's lock.
import type { KeyCreated } from '../shared/keys.ts'
import { systemClock } from './clock.ts'
import { EventHub } from './events.ts'
import { KeyRing } from './keys.ts'
import type { Log } from './log.ts'
import { openStore } from './store/store.ts'

export async function createAdminKey(dataDir: string, log: Log): Promise<KeyCreated> {
  const store = await openStore({ dataDir, log })
  try {
    const keys = new KeyRing([], store, systemClock, new EventHub())
    return await keys.create({ name: 'Admin', scope: 'admin' })
  } finally {
    await store.close()
  }
}
