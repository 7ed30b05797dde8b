// Looks for secrets in what clients send to models. What was found is known by its kind and its place only; the secret itself stays
// in memory, as a hash with a key of this process.
import { hash, randomBytes } from 'node:crypto'
import type { JsonObject } from '../../../gateway/formats/json/json.ts'
import type { Feature } from '../../../gateway/http/calls.ts'
import type { KeyState } from '../../../gateway/keys/key-state.ts'
import { type GatewayError, invalidRequest } from '../../../gateway/platform/errors.ts'
import type { InferenceCall } from '../../../gateway/request/call.ts'
import type { Arrival, RequestHook, SentPrompt } from '../../../gateway/request/run.ts'
import type { LiveSession } from '../../../gateway/sessions/live-sessions.ts'
import type { SecretInPrompt } from '../api/secrets.ts'
import { findPosition, findSecrets, listFiles, type Secret } from './find-secrets.ts'

/** The secrets that are reported of one request. */
const MAX_REPORTED = 20

interface SecretsDeps {
  /** `what`: the secrets that the session had not sent before. `isBlocked`: nor does it now. `requestId`: null outside of requests. */
  onFound(key: KeyState, requestId: string | null, what: string, isBlocked: boolean): void
}

type SentText = Pick<InferenceCall, 'json' | 'body' | 'mode'>

class Secrets implements RequestHook {
  readonly #deps: SecretsDeps
  /** Hashes of what each session has sent before: a conversation repeats all of it with each request. */
  readonly #sent = new WeakMap<LiveSession, Set<string>>()

  constructor(deps: SecretsDeps) {
    this.#deps = deps
  }

  before(arrival: Arrival): undefined {
    const { call } = arrival
    const { key, session, requestId } = call
    if (key.secretsInPrompts === 'off') return
    const secrets = readSecrets(call)
    if (secrets.length === 0) return
    const sent = this.#sent.get(session) ?? new Set()
    const unsent = secrets.filter(({ value }) => !sent.has(hashSecret(value)))
    if (unsent.length === 0) return
    const found = describe(unsent, call.json)
    const isBlocked = key.secretsInPrompts === 'block'
    this.#deps.onFound(key, requestId, listFound(found), isBlocked)
    if (isBlocked) throw refuse(found, key)
    for (const { value } of unsent) sent.add(hashSecret(value))
    this.#sent.set(session, sent)
    arrival.fields = { ...arrival.fields, secrets: found }
  }

  /** A prompt whose tokens are counted is sent to a model next. */
  beforePrompt({ key, purpose, json, body }: SentPrompt): void {
    const { secretsInPrompts } = key
    if (secretsInPrompts === 'off' || (secretsInPrompts === 'note' && purpose === 'count')) return
    const secrets = readSecrets({ json, body, mode: { kind: 'translated' } })
    if (secrets.length === 0) return
    const found = describe(secrets, json)
    const isBlocked = secretsInPrompts === 'block'
    this.#deps.onFound(key, null, listFound(found), isBlocked)
    if (isBlocked) throw refuse(found, key)
  }
}

const KEY = randomBytes(32).toString('base64')

function hashSecret(value: string): string {
  return hash('sha256', KEY + value)
}

function readSecrets({ json, body, mode }: SentText): readonly (Secret & { position?: string })[] {
  // The bytes of a sound or an image are no text.
  const text = mode.kind === 'raw' ? Buffer.from(mode.passThrough.text) : body
  const secrets = findSecrets(text)
  if (!body.includes('base64') && !body.includes('inline')) return secrets
  const inFiles = [...listFiles(json)].flatMap(({ bytes, position }) =>
    findSecrets(bytes).map((secret) => ({ ...secret, position })),
  )
  return [...secrets, ...inFiles]
}

function describe(secrets: readonly (Secret & { position?: string })[], json: JsonObject): SecretInPrompt[] {
  return secrets
    .slice(0, MAX_REPORTED)
    .map((secret) => ({ kind: secret.kind, position: secret.position ?? findPosition(json, secret) }))
}

/** `GitHub token in messages[3], private key in system` */
function listFound(found: readonly SecretInPrompt[]): string {
  return found.map(({ kind, position }) => `${kind} in ${position ?? 'the request'}`).join(', ')
}

function refuse(found: readonly SecretInPrompt[], { name }: KeyState): GatewayError {
  return invalidRequest(
    `The request was not sent, because its prompt has secrets: ${listFound(found)}. Remove them from the conversation, or set "secretsInPrompts" of the key "${name}" to "note".`,
    { code: 'secret_in_prompt', param: found[0]?.position ?? undefined },
  )
}

export function createSecrets(deps: SecretsDeps): Feature {
  return { hooks: [new Secrets(deps)] }
}
