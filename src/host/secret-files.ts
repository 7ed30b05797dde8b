// Secrets in files, as Docker, Kubernetes and systemd pass them to programs: OPENAI_API_KEY_FILE names the file whose content
// OPENAI_API_KEY would have.
import { readFileSync } from 'node:fs'
import { errorMessage } from '../shared/error-message.ts'
import { FlagError } from './flag-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

const NAMES_FILE = /^(TOLLGATE_CREDENTIAL_\w+|\w+_API_KEY)_FILE$/

/** The environment, with the variables whose values are in files. Throws FlagError when a file cannot be read. */
export function readSecretFiles(env: Environment): Environment {
  const secrets: Record<string, string> = {}
  for (const [name, path] of Object.entries(env)) {
    const variable = NAMES_FILE.exec(name)?.[1]
    if (variable === undefined || !path) continue
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
