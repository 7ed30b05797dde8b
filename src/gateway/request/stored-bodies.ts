import { storesBodies } from '../../shared/stored-bodies.ts'
import type { KeyState } from '../keys/key-state.ts'
import type { Clock } from '../platform/clock.ts'
import type { Settings } from '../settings/settings.ts'

/** Whether the prompt and the answer of a request that ends now are stored. */
export function storesBodiesOf(
  { storeBodies }: Pick<KeyState, 'storeBodies'>,
  { settings, clock }: { settings: Settings; clock: Clock },
): boolean {
  return storeBodies ?? storesBodies(settings.value, clock.now())
}
