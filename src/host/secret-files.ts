// Secrets in files, as Docker, Kubernetes and systemd pass them to programs: OPENAI_API_KEY_FILE names the file whose content
// OPENAI_API_KEY would have.
import { readFileSync } from 'node:fs'
import { knownProviders } from '../gateway/models/providers/known-providers.ts'
import { errorMessage } from '../shared/values/text.ts'
import { credentialVariables } from './env-credentials.ts'
import { FlagError } from './flag-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

const OWN = /^TOLLGATE_CREDENTIAL_\w+$/
const SUFFIX = '_FILE'

/**
 * The environment, with the variables whose values are in files: those of known vendors, and Tollgate's own. Others, such as
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
    secrets[variable] = read(name, path)
  }
  return { ...env, ...secrets }
}

function read(name: string, path: string): string {
  let secret: string
  try {
    secret = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new FlagError(`The file that ${name} names cannot be read: ${errorMessage(error)}.`)
  }
  if (secret === '') throw new FlagError(`The file that ${name} names is empty: ${path}.`)
  return secret
}
