// The calls to the gateway that setting up a tool needs.
import type { GatewayClient } from '../host/gateway-client.ts'
import { CallingKey } from '../shared/api/keys.ts'
import { ModelList, type ModelRecord } from '../shared/api/models.ts'
import { parseAnswer } from '../shared/api/parse-answer.ts'
import { errorMessage } from '../shared/values/text.ts'

/** Its errors have the gateway's message, for the user. */
export interface SetupGateway {
  /** The base URL for tools (it ends in `/v1`); null while the gateway is on no port. */
  findBaseUrl(): Promise<string | null>
  listModels(): Promise<ModelRecord[]>
  createKey(name: string, spendLimitUsd: number | null): Promise<{ id: string; secret: string }>
  revokeKey(id: string): Promise<void>
  /** Adds the provider of a plan, or enables it. */
  addPlan(id: string): Promise<void>
  /** The key with this secret; null if it does not work. */
  identify(baseUrl: string, secret: string): Promise<CallingKey | null>
  /** Calls the gateway as the tool would. */
  test(baseUrl: string, secret: string, model: string): Promise<{ passed: boolean; message: string }>
}

/**
 * Calls the gateway as the owner of this computer, over its socket. Only that is sure to be its own: while the gateway is
 * stopped, another user can take its port, and would get the keys.
 */
export function createSetupGateway(client: GatewayClient): SetupGateway {
  return {
    async findBaseUrl() {
      const { baseUrl } = await client.call('getGateway')
      return new URL(baseUrl).port === '0' ? null : `${baseUrl}/v1`
    },
    listModels: async () => (await client.call('listModels')).data,
    createKey: (name, spendLimitUsd) =>
      client.call('createKey', { body: { name, scope: 'completions-only', spendLimitUsd } }),
    async revokeKey(id) {
      await client.call('revokeKey', { params: { id } })
    },
    async addPlan(id) {
      await client.call('putProvider', { params: { id }, body: { enabled: true } })
    },
    async identify(baseUrl, secret) {
      const response = await fetchAsTool(`${baseUrl}/key`, secret).catch(() => null)
      return response?.ok ? parseAnswer(CallingKey, await response.text()) : null
    },
    async test(baseUrl, secret, model) {
      try {
        const response = await fetchAsTool(`${baseUrl}/models`, secret)
        if (!response.ok) throw new Error(`it was answered with HTTP ${response.status}.`)
        const { data } = parseAnswer(ModelList, await response.text())
        return data.some(({ id }) => id === model)
          ? { passed: true, message: `The key works, and ${model} is available.` }
          : { passed: false, message: `The key works, but there is no model ${model}.` }
      } catch (error) {
        return { passed: false, message: `A call with the key failed: ${errorMessage(error)}` }
      }
    },
  }
}

function fetchAsTool(url: string, secret: string): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${secret}` } })
}
