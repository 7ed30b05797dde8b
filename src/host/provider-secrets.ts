// The credentials of providers where there is no keychain, and the variables and pages that they come from.
import { readFileSync } from 'node:fs'
import {
  type CredentialEnvironment,
  type CredentialStore,
  CredentialStoreError,
} from '../gateway/compose/host-api.ts'
import { findKnownProvider, knownProviders } from '../gateway/compose/start-gateway.ts'
import { errorMessage } from '../shared/values/text.ts'
import { FlagError } from './exit-codes.ts'

/**
 * The environment variables for the credential of a provider, in order of precedence: `TOLLGATE_CREDENTIAL_<ID>`, the
 * vendors' convention `<ID>_API_KEY` (`OPENAI_API_KEY`, `GROQ_API_KEY`), and other names that a vendor uses.
 */
function credentialVariables(providerId: string): string[] {
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

const OWN = /^TOLLGATE_CREDENTIAL_\w+$/
const SUFFIX = '_FILE'

/**
 * Reads secrets in files, as Docker, Kubernetes and systemd pass them to programs: OPENAI_API_KEY_FILE names the file whose content
 * OPENAI_API_KEY would have. Returns the environment, with the variables whose values are in files: those of known vendors, and Tollgate's own. Others, such as
 * SONARR_API_KEY_FILE, are left to the programs that they are for. Throws FlagError when a file cannot be read.
 */
export function readSecretFiles(env: Environment): Environment {
  const ofVendors = new Set(knownProviders.flatMap(({ id }) => credentialVariables(id)))
  const secrets: Record<string, string> = {}
  for (const [name, path] of Object.entries(env)) {
    if (!name.endsWith(SUFFIX) || !path) continue
    const variable = name.slice(0, -SUFFIX.length)
    if (!OWN.test(variable) && !ofVendors.has(variable)) continue
    if (env[variable]) throw new FlagError(`${variable} and ${name} are both set. Set only one of them.`)
    secrets[variable] = readSecretFile(name, path)
  }
  return { ...env, ...secrets }
}

function readSecretFile(name: string, path: string): string {
  let secret: string
  try {
    secret = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new FlagError(`The file that ${name} names cannot be read: ${errorMessage(error)}.`)
  }
  if (secret === '') throw new FlagError(`The file that ${name} names is empty: ${path}.`)
  return secret
}

/** The origins of the pages where users create credentials. */
export const vendorOrigins: readonly string[] = knownProviders.flatMap(({ consoleUrl }) =>
  consoleUrl === undefined ? [] : [new URL(consoleUrl).origin],
)
