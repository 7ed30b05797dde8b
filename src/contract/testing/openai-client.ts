import OpenAI from 'openai'
import type { TestClient } from '../../gateway/testing/gateway.ts'

/** Creates clients of the gateway under test, which never retry; with the admin key unless another is given. */
export function openaiFor({
  baseUrl,
  admin,
}: Pick<TestClient, 'baseUrl' | 'admin'>): (apiKey?: string) => OpenAI {
  return (apiKey = admin) => new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 })
}
