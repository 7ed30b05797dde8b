// The entry point for hosts. It imports little, so that the store opens in its thread while the services of the gateway are
// loaded.

import { openStore } from '../store/store.ts'
import type { Gateway, GatewayOptions } from './gateway-api.ts'

export { type ListenAddress, PortTakenError } from '../http/listen.ts'
export { findKnownProvider, knownProviders } from '../models/providers/known-providers.ts'

/** Creates the gateway. Rejects with a StoreError when its data dir cannot be used. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const opening = openStore(options)
  const [{ createGateway }] = await Promise.all([import('./gateway.ts'), opening])
  return createGateway(options, opening)
}
