import { create } from 'zustand'

interface NewSecretsStore {
  /** Secrets of keys created since the window opened, by key id: for snippets ready to paste. Only in memory. */
  secrets: Readonly<Record<string, string>>
  addSecret(keyId: string, secret: string): void
}

export const useNewSecrets = create<NewSecretsStore>()((set, get) => ({
  secrets: {},
  addSecret: (keyId, secret) => set({ secrets: { ...get().secrets, [keyId]: secret } }),
}))
