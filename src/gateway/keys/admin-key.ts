import type { KeyCreated, KeyMetadata } from '../../shared/api/keys.ts'
import { systemClock } from '../platform/clock.ts'
import { EventHub } from '../platform/events.ts'
import type { Log } from '../platform/log.ts'
import { openStore } from '../store/store.ts'
import { ApiKeys } from './api-keys.ts'

/** The key of the first start, and those that the command line creates. */
export const ADMIN_KEY = { name: 'Admin', scope: 'admin' } as const

export interface ResetKeys {
  created: KeyCreated
  revoked: KeyMetadata[]
  /** Admin keys with names of their own, which are still valid. */
  kept: KeyMetadata[]
}

/** Creates an admin key while no gateway runs. The caller holds the data dir's lock. */
export function createAdminKey(dataDir: string, log: Log): Promise<KeyCreated> {
  return withKeys(dataDir, log, (keys) => keys.create(ADMIN_KEY))
}

/** Creates an admin key, and revokes those that were created in the same way before. */
export function resetAdminKeys(dataDir: string, log: Log): Promise<ResetKeys> {
  return withKeys(dataDir, log, async (keys) => {
    const previousKeys = keys.list().filter(({ scope, revokedAt }) => scope === 'admin' && revokedAt === null)
    const created = await keys.create(ADMIN_KEY)
    const { old = [], kept = [] } = Object.groupBy(previousKeys, ({ name }) =>
      name === ADMIN_KEY.name ? 'old' : 'kept',
    )
    return { created, revoked: await Promise.all(old.map(({ id }) => keys.revoke(id))), kept }
  })
}

async function withKeys<T>(dataDir: string, log: Log, use: (keys: ApiKeys) => Promise<T>): Promise<T> {
  const store = await openStore({ dataDir, log })
  try {
    const { keys } = await store.read('loadState')
    // Nothing is counted without a gateway that runs.
    const limits = { find: () => ({ states: () => [] }) }
    return await use(new ApiKeys({ store, clock: systemClock, events: new EventHub(), limits }, keys))
  } finally {
    await store.close()
  }
}
