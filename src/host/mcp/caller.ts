// How the MCP server calls the gateway: with the tool's own key, else as the owner of this machine.
import { readHolder } from '../../gateway/store/lock-info.ts'
import { type CallArgs, type CalledOperationId, describeCall } from '../../shared/operation-calls.ts'
import { responseSchemas } from '../../shared/operation-responses.ts'
import type { ResponseOf } from '../../shared/operations.ts'
import { GatewayClient, NotRunningError, RefusedCallError } from '../gateway-client.ts'

const DEFAULT_ORIGIN = 'http://127.0.0.1:8655'
const TIMEOUT_MS = 15_000

interface Signal {
  signal?: AbortSignal
}

export interface Caller {
  /** Whether it calls without a key. */
  readonly isOwner: boolean
  /** Throws NotRunningError and RefusedCallError, whose messages are for the user. */
  call<K extends CalledOperationId>(id: K, ...args: CallArgs<K, Signal>): Promise<ResponseOf<K>>
  /** The tokens of a text, as the provider of the model counts them; null if this key may not ask. */
  countTokens(model: string, text: string): Promise<number | null>
}

export interface CallerOptions {
  /** Empty without one. */
  apiKey: string
  /** Empty: the gateway of the data dir. */
  baseUrl: string
  dataDir: string
}

export function createCaller({ apiKey, baseUrl, dataDir }: CallerOptions): Caller {
  if (apiKey === '') return new OwnerCaller(new GatewayClient(dataDir))
  const given = URL.parse(baseUrl)?.origin
  return new KeyCaller(apiKey, () => given ?? originOf(dataDir))
}

/** Where the gateway of the data dir listens; the usual address if that is not known. */
function originOf(dataDir: string): string {
  const origin = readHolder(dataDir)?.baseUrl
  return typeof origin === 'string' ? origin : DEFAULT_ORIGIN
}

class KeyCaller implements Caller {
  readonly isOwner = false
  readonly #apiKey: string
  readonly #origin: () => string

  constructor(apiKey: string, origin: () => string) {
    this.#apiKey = apiKey
    this.#origin = origin
  }

  async call<K extends CalledOperationId>(id: K, ...args: CallArgs<K, Signal>): Promise<ResponseOf<K>> {
    const { method, path, body } = describeCall(id, args[0])
    return responseSchemas[id].response.parse(await this.#send(method, path, body))
  }

  async countTokens(model: string, text: string): Promise<number | null> {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: text }] })
    const counted = await this.#send('POST', '/v1/messages/count_tokens', body).catch((error: unknown) => {
      if (error instanceof RefusedCallError && error.status === 403) return null
      throw error
    })
    if (typeof counted !== 'object' || counted === null || !('input_tokens' in counted)) return null
    return Number(counted.input_tokens)
  }

  async #send(method: string, path: string, body: string | undefined): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.#apiKey}`, 'content-type': 'application/json' }
    const init = { method, headers, signal: AbortSignal.timeout(TIMEOUT_MS) }
    const answer = await fetch(this.#origin() + path, body === undefined ? init : { ...init, body }).catch(
      (cause: unknown) => {
        throw new NotRunningError({ cause })
      },
    )
    const text = await answer.text()
    if (!answer.ok) throw new RefusedCallError(answer.status, text)
    return JSON.parse(text)
  }
}

class OwnerCaller implements Caller {
  readonly isOwner = true
  readonly #client: GatewayClient

  constructor(client: GatewayClient) {
    this.#client = client
  }

  call<K extends CalledOperationId>(id: K, ...args: CallArgs<K, Signal>): Promise<ResponseOf<K>> {
    return this.#client.call(id, ...args)
  }

  async countTokens(): Promise<null> {
    return null
  }
}
