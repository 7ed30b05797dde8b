// An independent implementation of an upstream: aimock in the OpenAI format, which requires the credential.
import { LLMock } from '@copilotkit/aimock'

export const CREDENTIAL = 'sk-upstream-canary-4f1c9a7e2b'
export const MODEL = 'gpt-4o'
export const ANSWER = 'Toll paid, barrier up.'

export interface Upstream {
  baseUrl: string
  stop(): Promise<void>
}

export async function startUpstream(): Promise<Upstream> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', auth: { apiKeys: [CREDENTIAL] } })
  mock.addFixture({
    match: { model: MODEL, userMessage: 'weather' },
    response: { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Turin"}' }] },
  })
  mock.addFixture({
    match: { model: MODEL },
    response: { content: ANSWER, usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 } },
  })
  const url = await mock.start()
  return { baseUrl: `${url}/v1`, stop: () => mock.stop() }
}
