// Owns which of the finds on this computer are still worth offering. Pure.
import type { EnvironmentCredential, LocalServer, ProviderRecord } from '../../../shared/providers.ts'

/** Local servers that run and are not set up. `providers` is newer than the look, so it decides. */
export function notYetAdded(
  servers: readonly LocalServer[],
  providers: readonly Pick<ProviderRecord, 'id' | 'configured'>[],
): LocalServer[] {
  const configured = new Set(providers.filter((one) => one.configured).map(({ id }) => id))
  return servers.filter(({ id, running }) => running && !configured.has(id))
}

/** Credentials in the environment of providers that have none yet. */
export function notYetImported(
  credentials: readonly EnvironmentCredential[],
  providers: readonly Pick<ProviderRecord, 'id' | 'hasCredential'>[],
): EnvironmentCredential[] {
  const held = new Set(providers.filter((one) => one.hasCredential).map(({ id }) => id))
  return credentials.filter(({ id }) => !held.has(id))
}

/** "1 model", "3 models". */
export function countedModels(count: number): string {
  return count === 1 ? '1 model' : `${count} models`
}
