// How the MCP server calls the gateway: with the tool's own key, else as the owner of this machine.

import { z } from 'zod'
import { GatewayClient, NotRunningError, RefusedCallError } from '../../host/gateway-client.ts'
import { type CallArgs, type CalledOperationId, describeCall } from '../../shared/api/operation-calls.ts'
import { responseSchemas } from '../../shared/api/operation-responses.ts'
import type { ResponseOf } from '../../shared/api/operations.ts'
import { parseAnswer } from '../../shared/api/parse-answer.ts'

const TIMEOUT_MS = 15_000

const TokenCount = z.object({ input_tokens: z.number() })

interface Signal {
  signal?: AbortSignal
}

export interface Caller {
  /** Whether it calls without a key. */
  readonly isOwner: boolean
  /** Throws NotRunningError, RefusedCallError and UnknownAnswerError, whose messages are for the user. */
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
  const origin = URL.parse(baseUrl)?.origin
  const client = new GatewayClient(dataDir)
  return new KeyCaller(apiKey, async () => origin ?? (await client.call('getGateway')).baseUrl)
}

class KeyCaller implements Caller {
  readonly isOwner = false
  readonly #apiKey: string
  readonly #origin: () => Promise<string>

  /**
   * `origin`: where to send the key. Only the socket of the gateway is sure to be its own: while that is stopped, another user of
   * the computer can take its port.
   */
  constructor(apiKey: string, origin: () => Promise<string>) {
    this.#apiKey = apiKey
    this.#origin = origin
  }

  async call<K extends CalledOperationId>(id: K, ...args: CallArgs<K, Signal>): Promise<ResponseOf<K>> {
    const { method, path, body } = describeCall(id, args[0])
    return parseAnswer(responseSchemas[id].response, await this.#send(method, path, body, args[0]?.signal))
  }

  async countTokens(model: string, text: string): Promise<number | null> {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: text }] })
    const counted = await this.#send('POST', '/v1/messages/count_tokens', body).catch((error: unknown) => {
      if (error instanceof RefusedCallError && error.status === 403) return null
      throw error
    })
    return counted === null ? null : parseAnswer(TokenCount, counted).input_tokens
  }

  async #send(
    method: string,
    path: string,
    body: string | undefined,
    signal = AbortSignal.timeout(TIMEOUT_MS),
  ): Promise<string> {
    const headers = { authorization: `Bearer ${this.#apiKey}`, 'content-type': 'application/json' }
    const init = { method, headers, signal }
    const origin = await this.#origin()
    const answer = await fetch(origin + path, body === undefined ? init : { ...init, body }).catch(
      (cause: unknown) => {
        throw new NotRunningError({ cause })
      },
    )
    const text = await answer.text()
    if (!answer.ok) throw new RefusedCallError(answer.status, text)
    return text
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
