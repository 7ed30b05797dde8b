// Owns the offer to take over credentials that are in the environment already. Takes none by itself.
import type { EnvironmentCredential } from '../../shared/providers.ts'
import { invalidRequest, notFound } from '../platform/errors.ts'
import type { CredentialEnvironment } from './credential-store.ts'
import { type KnownProvider, knownProvider, knownProviders } from './known-providers.ts'
import type { ProviderRegistry } from './registry.ts'

export class ProviderImport {
  readonly #environment: CredentialEnvironment
  readonly #providers: ProviderRegistry
  /** The environment is also where credentials are kept: nothing needs to be copied. */
  readonly #inPlace: boolean

  constructor(environment: CredentialEnvironment, providers: ProviderRegistry, inPlace: boolean) {
    this.#environment = environment
    this.#providers = providers
    this.#inPlace = inPlace
  }

  /** Names only, never a value. */
  list(): EnvironmentCredential[] {
    return knownProviders
      .filter((known) => known.needsCredential && !this.#has(known))
      .flatMap((known) => {
        const found = this.#environment.find(known.id)
        return found ? [{ id: known.id, name: known.name, variable: found.variable }] : []
      })
  }

  /**
   * Sets the provider up with its credential from the environment. Throws 404 for one that is not known, 400 when it
   * has a credential or the environment holds none, 503 when the credential cannot be kept.
   */
  async take(id: string): Promise<void> {
    const known = knownProvider(id)
    if (!known?.needsCredential)
      throw notFound(`There is no known provider "${id}" with a credential to import.`)
    if (this.#has(known)) {
      throw invalidRequest(`${known.name} has a credential already. Replace it under Providers instead.`)
    }
    const found = this.#environment.find(id)
    if (!found) throw invalidRequest(`No environment variable holds a credential of ${known.name}.`)
    await this.#providers.put(id, this.#inPlace ? {} : { credential: found.secret })
  }

  #has({ id }: KnownProvider): boolean {
    return this.#providers.isConfigured(id) && this.#providers.require(id).credentialCount > 0
  }
}
