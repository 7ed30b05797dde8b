import Anthropic from '@anthropic-ai/sdk'
import type { MessageParam, Tool, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages'
import { expect } from 'vitest'
import type { TestGateway } from '../../testing/gateway.ts'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const tools: Tool[] = ['get_weather', 'get_time'].map((name) => ({
  name,
  description: `Returns the ${name.slice(4)} of a city`,
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
}))

interface Turn {
  calls: { name: string; args: unknown }[]
  text: string
  thinking: string
}

/**
 * Three streamed turns, as an application has them: every call is answered, and the whole history is sent each time, with the
 * blocks as they came. Each request has the next of the API keys, so that the gateway remembers nothing of the one before.
 */
export async function converseInMessages(
  { baseUrl }: Pick<TestGateway, 'baseUrl'>,
  model: string,
  apiKeys: readonly string[],
): Promise<Turn[]> {
  const messages: MessageParam[] = []
  const turns: Turn[] = []
  const ask = async () => {
    const apiKey = apiKeys[turns.length % apiKeys.length] ?? ''
    const client = new Anthropic({ baseURL: baseUrl, apiKey, maxRetries: 0 })
    const message = await client.messages
      .stream({
        model,
        max_tokens: 800,
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        messages,
        tools,
        thinking: { type: 'adaptive' },
        output_config: { effort: 'low' },
      })
      .finalMessage()
    messages.push({ role: 'assistant', content: message.content })
    const blocks = message.content
    const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
    turns.push({
      calls: calls.map(({ name, input }) => ({ name, args: input })),
      text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      thinking: blocks.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    })
    expect(message.stop_reason).toBe(calls.length > 0 ? 'tool_use' : 'end_turn')
    const results = calls.map(
      ({ id }): ToolResultBlockParam => ({ type: 'tool_result', tool_use_id: id, content: 'sunny, noon' }),
    )
    if (results.length > 0) messages.push({ role: 'user', content: results })
    return results.length
  }
  const image = { type: 'base64' as const, media_type: 'image/png' as const, data: PIXEL }
  const questions: MessageParam['content'][] = [
    [
      { type: 'text', text: 'Weather and time in this place?' },
      { type: 'image', source: image },
    ],
    'And tomorrow?',
    'Sum it up.',
  ]
  for (const content of questions) {
    messages.push({ role: 'user', content })
    while ((await ask()) > 0);
  }
  return turns
}
