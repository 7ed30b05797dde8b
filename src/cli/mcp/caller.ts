// How the MCP server calls the gateway: with the tool's own key, else as the owner of this machine.

import { z } from 'zod'
import { GatewayClient, NotRunningError, RefusedCallError } from '../../host/gateway-client.ts'
import {
  type CallArgs,
  type CalledOperationId,
  describeCall,
  type OperationCall,
} from '../../shared/api/operation-calls.ts'
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
  const client = new GatewayClient(dataDir)
  if (apiKey === '') {
    return {
      isOwner: true,
      call: (id, ...args) => client.call(id, ...args),
      countTokens: async () => null,
    }
  }
  const send = async (call: OperationCall, signal = AbortSignal.timeout(TIMEOUT_MS)) => {
    // Only the socket of the gateway is sure to be its own: while that is stopped, another user of the computer can take its
    // port, and would get the key.
    const origin = URL.parse(baseUrl)?.origin ?? (await client.call('getGateway')).baseUrl
    const { method, path, body = null } = call
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const answer = await fetch(origin + path, { method, headers, signal, body }).catch((cause: unknown) => {
      throw new NotRunningError({ cause })
    })
    const text = await answer.text()
    if (!answer.ok) throw new RefusedCallError(answer.status, text)
    return text
  }
  return {
    isOwner: false,
    call: async (id, ...args) =>
      parseAnswer(responseSchemas[id].response, await send(describeCall(id, args[0]), args[0]?.signal)),
    async countTokens(model, text) {
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: text }] })
      const call = { method: 'POST', path: '/v1/messages/count_tokens', body }
      try {
        return parseAnswer(TokenCount, await send(call)).input_tokens
      } catch (error) {
        if (error instanceof RefusedCallError && error.status === 403) return null
        throw error
      }
    },
  }
}
