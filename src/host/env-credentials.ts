// Owns credentials given by environment variables: for servers and containers, where no keychain is. Read-only.

import {
  type CredentialEnvironment,
  type CredentialStore,
  CredentialStoreError,
} from '../gateway/providers/credential-store.ts'
import { knownProvider } from '../gateway/providers/known-providers.ts'

/**
 * The variables that may hold the credential of a provider, in order: `TOLLGATE_CREDENTIAL_<ID>`, then the vendors'
 * own custom, `<ID>_API_KEY` (`OPENAI_API_KEY`, `GROQ_API_KEY` and so on), then other names that a vendor uses.
 */
function credentialVariables(providerId: string): string[] {
  const name = providerId.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
  return [`TOLLGATE_CREDENTIAL_${name}`, `${name}_API_KEY`, ...(knownProvider(providerId)?.variables ?? [])]
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
        `Credentials come from the environment here: set ${credentialVariables(account).join(' or ')} and start again.`,
      )
    },
    async delete(account) {
      if (read(account) === null) return
      throw new CredentialStoreError(
        `Credentials come from the environment here: unset ${credentialVariables(account).join(' and ')} and start again.`,
      )
    },
  }
}
