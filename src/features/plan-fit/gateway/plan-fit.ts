import type { Feature } from '../../../gateway/http/calls.ts'
import type { Clock } from '../../../gateway/platform/clock.ts'
import type { Settings } from '../../../gateway/settings/settings.ts'
import type { Store } from '../../../gateway/store/store.ts'

interface Deps {
  store: Store
  clock: Clock
  settings: Settings
}

/** Few ask for it, so the comparison and its table are loaded with the first question. */
export function createPlanFit({ store, clock, settings }: Deps): Feature {
  return {
    handlers: {
      async getPlanFit({ query: { days } }) {
        const { comparePlans } = await import('./compare-plans.ts')
        return comparePlans(store, { now: clock.now(), days: Number(days), timeZone: settings.timeZone })
      },
    },
  }
}
