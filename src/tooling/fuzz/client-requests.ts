// The fuzzer's requests to the gateway, in the API formats of clients.

import type { Random } from '../../gateway/testing/random.ts'
import type { ClientFormat } from '../../shared/api/operations/operation.ts'

export interface ClientRequest {
  path: string
  body: string
}

type Build = (model: string, prompt: string, stream: boolean) => { path: string; body: object }

const builders = {
  'openai-responses': (model, input, stream) => ({
    path: '/v1/responses',
    body: { model, stream, max_output_tokens: 500, input },
  }),
  'anthropic-messages': (model, content, stream) => ({
    path: '/v1/messages',
    body: { model, stream, max_tokens: 500, messages: [{ role: 'user', content }] },
  }),
  'gemini-generate': (model, text, stream) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text }] }], generationConfig: { maxOutputTokens: 500 } },
  }),
} satisfies Partial<Record<ClientFormat, Build>>
const others = Object.values<Build>(builders)

/** Half of the requests are chat completions. */
export function clientRequest(
  { model, prompt, stream }: { model: string; prompt: string; stream: boolean },
  random: Random,
): ClientRequest {
  if (random.chance(0.5)) {
    const { path, body } = random.any(others)(model, prompt, stream)
    return { path, body: JSON.stringify(body) }
  }
  const body = {
    model,
    stream,
    max_tokens: 500,
    ...(stream && random.chance(0.5) ? { stream_options: { include_usage: true } } : {}),
    ...(random.chance(0.05) ? { n: 2 } : {}),
    messages: [{ role: 'user', content: prompt }],
  }
  return { path: '/v1/chat/completions', body: JSON.stringify(body) }
}
