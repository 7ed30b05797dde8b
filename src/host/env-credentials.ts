import {
  type CredentialEnvironment,
  type CredentialStore,
  CredentialStoreError,
} from '../gateway/models/providers/credential-store.ts'
import { findKnownProvider } from '../gateway/models/providers/known-providers.ts'

/**
 * The environment variables for the credential of a provider, in order of precedence: `TOLLGATE_CREDENTIAL_<ID>`, the
 * vendors' convention `<ID>_API_KEY` (`OPENAI_API_KEY`, `GROQ_API_KEY`), and other names that a vendor uses.
 */
export function credentialVariables(providerId: string): string[] {
  const name = providerId.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
  return [
    `TOLLGATE_CREDENTIAL_${name}`,
    `${name}_API_KEY`,
    ...(findKnownProvider(providerId)?.variables ?? []),
  ]
}

type Environment = Readonly<Record<string, string | undefined>>

export function credentialEnvironment(env: Environment = process.env): CredentialEnvironment {
  return {
    find(providerId) {
      for (const variable of credentialVariables(providerId)) {
        const secret = env[variable]?.trim()
        if (secret) return { variable, secret }
      }
      return null
    },
  }
}

/** Read-only credentials from the environment, for servers and containers without a keychain. */
export function envCredentials(env: Environment = process.env): CredentialStore {
  const environment = credentialEnvironment(env)
  const read = (providerId: string): string | null => environment.find(providerId)?.secret ?? null
  return {
    kind: 'env',
    async get(account) {
      return read(account)
    },
    async set(account) {
      throw new CredentialStoreError(
        `Tollgate reads credentials from the environment. Set ${credentialVariables(account).join(' or ')} and restart Tollgate.`,
      )
    },
    async delete(account) {
      if (read(account) === null) return
      throw new CredentialStoreError(
        `Tollgate reads credentials from the environment. Unset ${credentialVariables(account).join(' and ')} and restart Tollgate.`,
      )
    },
  }
}
