// The calls to the gateway that setting up a tool needs.

import { ErrorEnvelope } from '../shared/api/errors.ts'
import { CallingKey, KeyCreated } from '../shared/api/keys.ts'
import { ModelList, type ModelRecord } from '../shared/api/models.ts'
import { parseAnswer } from '../shared/api/parse-answer.ts'
import { errorMessage } from '../shared/values/text.ts'

interface NewKey {
  id: string
  secret: string
  /** The user gave it; it must not be revoked. */
  given?: boolean
}

export interface GatewayCalls {
  /** The base URL for tools (it ends in `/v1`); null while the gateway does not listen. */
  baseUrl(): string | null
  models(): Promise<ModelRecord[]>
  createKey(name: string, spendLimitUsd: number | null): Promise<NewKey>
  revokeKey(id: string): Promise<void>
  /** Adds the provider of a plan, or enables it. */
  addPlan(id: string): Promise<void>
  /** The key with this secret; null if it does not work. */
  identify(secret: string): Promise<CallingKey | null>
  /** Calls the gateway as the tool would. */
  test(secret: string, model: string): Promise<{ passed: boolean; message: string }>
}

/** Sends a request with the permissions of the owner or of an admin key. */
type SendAsAdmin = (path: string, init?: { method: string; body?: string }) => Promise<Response>

/** The gateway refused a call. The message is the gateway's, for the user. */
class GatewayCallError extends Error {
  override name = 'GatewayCallError'
}

export function createGatewayCalls(origin: () => string | null, send: SendAsAdmin): GatewayCalls {
  const baseUrl = () => {
    const address = origin()
    return address === null ? null : `${address}/v1`
  }
  const asTool = (path: string, secret: string) =>
    fetch(`${baseUrl()}${path}`, { headers: { authorization: `Bearer ${secret}` } })
  return {
    baseUrl,
    models: async () => parseAnswer(ModelList, await read(await send('/v1/models'))).data,
    async createKey(name, spendLimitUsd) {
      const body = JSON.stringify({ name, scope: 'completions-only', spendLimitUsd })
      return parseAnswer(KeyCreated, await read(await send('/v1/keys', { method: 'POST', body })))
    },
    async revokeKey(id) {
      await read(await send(`/v1/keys/${encodeURIComponent(id)}`, { method: 'DELETE' }))
    },
    async addPlan(id) {
      const body = JSON.stringify({ enabled: true })
      await read(await send(`/v1/providers/${encodeURIComponent(id)}`, { method: 'PUT', body }))
    },
    async identify(secret) {
      const response = await asTool('/key', secret).catch(() => null)
      return response?.ok ? parseAnswer(CallingKey, await response.text()) : null
    },
    async test(secret, model) {
      try {
        const { data } = parseAnswer(ModelList, await read(await asTool('/models', secret)))
        return data.some(({ id }) => id === model)
          ? { passed: true, message: `The key works, and ${model} is available.` }
          : { passed: false, message: `The key works, but there is no model ${model}.` }
      } catch (error) {
        return { passed: false, message: `A call with the key failed: ${errorMessage(error)}` }
      }
    },
  }
}

async function read(response: Response): Promise<string> {
  const body = await response.text()
  if (response.ok) return body
  throw new GatewayCallError(parseAnswer(ErrorEnvelope, body).error.message)
}
