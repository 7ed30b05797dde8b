import type { EnvironmentCredential } from '../../../shared/providers.ts'
import { invalidRequest, notFound } from '../../platform/errors.ts'
import type { CredentialEnvironment } from './credential-store.ts'
import type { KnownProvider } from './known-provider.ts'
import { knownProvider, knownProviders } from './known-providers.ts'
import type { ProviderRegistry } from './registry.ts'

export class ProviderImport {
  readonly #environment: CredentialEnvironment
  readonly #providers: ProviderRegistry
  /** Whether credentials are read from the environment anyway, so that nothing needs to be copied. */
  readonly #inPlace: boolean

  constructor(environment: CredentialEnvironment, providers: ProviderRegistry, inPlace: boolean) {
    this.#environment = environment
    this.#providers = providers
    this.#inPlace = inPlace
  }

  /** Known providers that need nothing but a credential, have one in the environment and are not configured with one. Never contains a value. */
  list(): EnvironmentCredential[] {
    return knownProviders
      .filter((known) => known.needsCredential && known.address === undefined && !this.#hasCredential(known))
      .flatMap((known) => {
        const found = this.#environment.find(known.id)
        return found ? [{ id: known.id, name: known.name, variable: found.variable }] : []
      })
  }

  /**
   * Configures the provider with its credential from the environment. Throws 404 for an unknown provider, 400 when it has
   * a credential or the environment has none, 503 when the credential cannot be stored.
   */
  async import(id: string): Promise<void> {
    const known = knownProvider(id)
    if (!known?.needsCredential) throw notFound(`There is no known provider "${id}" that needs a credential.`)
    if (this.#hasCredential(known)) {
      throw invalidRequest(`${known.name} already has a credential. Replace it under Providers instead.`)
    }
    const found = this.#environment.find(id)
    if (!found) throw invalidRequest(`No environment variable contains a credential for ${known.name}.`)
    await this.#providers.put(id, this.#inPlace ? {} : { credential: found.secret })
  }

  #hasCredential({ id }: KnownProvider): boolean {
    return this.#providers.isConfigured(id) && this.#providers.require(id).credentialCount > 0
  }
}
