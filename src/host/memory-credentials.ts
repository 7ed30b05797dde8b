import type { CredentialStore } from '../gateway/providers/credential-store.ts'

export function createMemoryCredentials(): CredentialStore {
  const kept = new Map<string, string>()
  return {
    kind: 'memory',
    async get(account) {
      return kept.get(account) ?? null
    },
    async set(account, secret) {
      kept.set(account, secret)
    },
    async delete(account) {
      kept.delete(account)
    },
  }
}
