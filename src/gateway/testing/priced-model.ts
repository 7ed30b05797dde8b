// A model of a test's upstream, priced at 1 USD per million tokens.
import { testCompletion } from '../upstream/testing/test-upstream.ts'
import type { TestClient } from './gateway.ts'

export const PRICING = { inputPerMillion: 1, outputPerMillion: 1 }

/** Adds the provider `mine` and its model `m`. */
export async function addPricedModel(
  tollgate: TestClient,
  baseUrl: string,
  { provider = {}, model = {} }: { provider?: Record<string, unknown>; model?: Record<string, unknown> } = {},
): Promise<void> {
  await tollgate.addProvider('mine', baseUrl, [], provider)
  const body = { provider: 'mine', pricing: PRICING, maxOutputTokens: 10, ...model }
  await tollgate.call('PUT', '/v1/models/m', { body })
}

/** A plain answer with this usage. */
export function billedCompletion(prompt: number, completion: number) {
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
  return { ...testCompletion('Hi'), usage }
}
