import type { GatewayInfo } from '../../../shared/api/account.ts'

interface Place {
  /** Under an empty field for a key. */
  stored: string
  /** After several keys were entered. */
  allStored: string
  /** The place of a key that is imported from the environment. */
  imported: string
  /** In the list without providers. */
  only: string
  /** The effect of removing a provider. */
  deleted: string
}

/** Where credentials are kept, by the option `--credentials`. */
const places: Readonly<Record<GatewayInfo['credentials'], Place>> = {
  keychain: {
    stored: 'Stored in the keychain of this computer and never shown again.',
    allStored: 'All are stored in the keychain of this computer.',
    imported: 'The value is copied into the keychain of this computer and never shown.',
    only: 'Its API key is stored only in the keychain of this computer.',
    deleted: 'its API key is deleted from the keychain',
  },
  memory: {
    stored: 'Kept in memory until Tollgate stops, and never shown again.',
    allStored: 'All are kept in memory until Tollgate stops.',
    imported: 'The value is kept in memory until Tollgate stops, and never shown.',
    only: 'Its API key is kept in memory until Tollgate stops.',
    deleted: 'its API key is deleted',
  },
  env: {
    stored: 'Read from the environment when Tollgate starts.',
    allStored: 'Read from the environment when Tollgate starts.',
    imported: 'Tollgate reads the value from the environment and stores nothing.',
    only: 'Its API key is read from an environment variable.',
    deleted: 'its API key stays in the environment',
  },
}

/** The words for the place; those of the keychain until the gateway has answered. */
export function credentialPlace(info: Pick<GatewayInfo, 'credentials'> | undefined): Place {
  return places[info?.credentials ?? 'keychain']
}

/** The environment variable that most people would set for the provider. */
export function credentialVariable(providerId: string): string {
  return `${providerId.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`
}
