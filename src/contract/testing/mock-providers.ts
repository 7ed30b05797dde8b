import { LLMock } from '@copilotkit/aimock'
import type { TestClient } from '../../gateway/testing/gateway.ts'

/** A model of a third-party mock for each API format from which answers are translated. */
export const MOCK_MODELS = {
  'openai-chat': 'mock-chat',
  'anthropic-messages': 'mock-claude',
  'gemini-generate': 'mock-gemini',
  'bedrock-converse': 'amazon.mock-nova',
} as const

const BASES = {
  'openai-chat': '/v1',
  'anthropic-messages': '/v1',
  'gemini-generate': '/v1beta',
  'bedrock-converse': '',
} as const
/** In the members of every format. */
const usage = {
  ...{ prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 },
  ...{ input_tokens: 1000, output_tokens: 200 },
  ...{ promptTokenCount: 1000, candidatesTokenCount: 200, totalTokenCount: 1200 },
}
const FORMATS = ['openai-chat', 'anthropic-messages', 'gemini-generate', 'bedrock-converse'] as const

/**
 * Starts the mock and adds it as a provider of each format. On "weather" it reasons and calls `get_weather` twice, then
 * answers "It is sunny."; on "patch" it calls `apply_patch`; on "city" it answers with JSON; to all else it says "Hello."
 */
export async function startMockProviders(tollgate: TestClient): Promise<{ close(): Promise<void> }> {
  const mock = new LLMock({ port: 0 })
  const calls = ['Rome', 'Oslo'].map((city) => ({ name: 'get_weather', arguments: JSON.stringify({ city }) }))
  const thought = { usage, reasoning: 'I have a tool for it.', reasoningSignature: 'c2lnbmVk' }
  mock.on({ userMessage: 'weather', hasToolResult: false }, { toolCalls: calls, ...thought })
  mock.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It is sunny.', usage })
  const patch = { name: 'apply_patch', arguments: JSON.stringify({ input: '*** Begin\n+é' }) }
  mock.on({ userMessage: 'patch', hasToolResult: false }, { toolCalls: [patch], usage })
  mock.on({ userMessage: 'patch', hasToolResult: true }, { content: 'Patched.', usage })
  mock.onMessage('city', { content: '{"city":"Rome"}', usage })
  mock.onMessage(/.*/, { content: 'Hello.', usage })
  await mock.start()
  for (const format of FORMATS)
    await tollgate.addProvider(`mock-${format}`, mock.url + BASES[format], [MOCK_MODELS[format]], {
      apiFormat: format,
    })
  return { close: () => mock.stop() }
}
