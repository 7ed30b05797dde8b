import type { CredentialStore } from '../gateway/models/providers/credential-store.ts'

export function createMemoryCredentials(): CredentialStore {
  const secrets = new Map<string, string>()
  return {
    kind: 'memory',
    async get(account) {
      return secrets.get(account) ?? null
    },
    async set(account, secret) {
      secrets.set(account, secret)
    },
    async delete(account) {
      secrets.delete(account)
    },
  }
}
