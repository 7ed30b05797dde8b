// The valid requests that the fuzzer starts from: one for each feature of each API format, and some of each other endpoint.
import { chatFeatures } from '../formats/chat-features.ts'
import type { ClientFeatures } from '../formats/feature.ts'
import { geminiFeatures } from '../formats/gemini-features.ts'
import { messagesFeatures } from '../formats/messages-features.ts'
import { responsesFeatures } from '../formats/responses-features.ts'
import type { Json } from './odd-values.ts'

interface Template {
  weight: number
  method: string
  path: string
  body?: Json
}

const model = 'sandbox-large'
const generative = `/v1beta/models/${model}`
const messages = [{ role: 'user', content: 'Hi' }]
const contents = [{ parts: [{ text: 'Hi' }] }]

/** `limit`: the fields that keep answers short. Half of the requests want a stream. `weight`: of all of them. */
function listFormat({ endpoint, base, features }: ClientFeatures, limit: object, weight: number): Template[] {
  return features.map(([, fields, given], index) => {
    const streams = index % 2 === 0
    const body: { [name: string]: Json } = JSON.parse(
      JSON.stringify({ ...base, ...limit, ...given, ...fields }),
    )
    const template = { weight: weight / features.length, method: 'POST', body }
    if (!endpoint.includes('MODEL')) {
      Object.assign(body, { model }, streams && { stream: true })
      return { ...template, path: endpoint }
    }
    // The path says what the members of other formats do.
    for (const name of ['model', 'stream', 'sse']) delete body[name]
    const action = streams ? 'streamGenerateContent?alt=sse' : 'generateContent'
    return { ...template, path: `${generative}:${action}` }
  })
}

type Row = readonly [weight: number, method: string, path: string, body?: Json]

const ROWS: readonly Row[] = [
  [1, 'GET', '/v1/responses/resp_1'],
  [3, 'POST', '/v1/messages/count_tokens', { model, max_tokens: 3, messages }],
  [3, 'POST', '/v1/messages?beta=true', { model, max_tokens: 3, messages, stream: true }],
  [3, 'POST', `${generative}:countTokens`, { contents }],
  [4, 'POST', `/v1/models/${model}:generateContent`, { contents, generationConfig: { maxOutputTokens: 3 } }],
  [1, 'GET', '/v1beta/models?pageSize=2'],
  [1, 'GET', generative],
  [
    ...([4, 'POST', '/v1/completions'] as const),
    { model, prompt: ['Hi', 'Ho'], max_tokens: 3, n: 1, echo: true, stream: true, logprobs: 2 },
  ],
  [2, 'POST', '/v1/completions', { model, prompt: 'a', suffix: 'b', max_tokens: 3 }],
  [2, 'POST', '/v1/embeddings', { model, input: ['Hi'], dimensions: 8 }],
  [2, 'POST', '/v1/moderations', { model, input: 'Hi' }],
  [2, 'POST', '/v1/rerank', { model, query: 'a', documents: ['b'], top_n: 1 }],
  [2, 'POST', '/v1/images/generations', { model, prompt: 'A cat', n: 1 }],
  [1, 'POST', '/v1/images/edits', { model, prompt: 'A cat', images: [] }],
  [2, 'POST', '/v1/audio/speech', { model, input: 'Hi', voice: 'alloy' }],
  [2, 'POST', '/v1/keys', { name: 'K', scope: 'full', spendLimitUsd: 1, rpmLimit: 5, tpmLimit: 5 }],
  [4, 'PATCH', '/v1/keys/KEY', { name: 'K', spendLimitUsd: 1, rpmLimit: null, tpmLimit: 9 }],
  [4, 'POST', '/v1/pricing/estimate', { model, monthlyInputTokens: 1e6, monthlyOutputTokens: 5 }],
  [
    ...([3, 'PUT', '/v1/models/fuzzed'] as const),
    {
      provider: 'sandbox',
      upstreamModel: 'sandbox-small',
      pricing: { inputPerMillion: 1, outputPerMillion: 2 },
      capabilities: ['vision'],
      contextWindow: 1000,
      maxOutputTokens: 10,
      fallbacks: ['sandbox-small'],
    },
  ],
  [1, 'DELETE', '/v1/models/fuzzed'],
  [1, 'PATCH', '/v1/account', { plan: 'bundle' }],
  [1, 'PATCH', '/v1/settings', { notifyAtPercent: [50, 80] }],
  [3, 'GET', '/v1/requests?limit=5'],
  [2, 'GET', '/v1/usage?groupBy=day&splitBy=key&from=2026-01-01&timeZone=Europe/Berlin'],
  [1, 'GET', '/v1/keys/KEY'],
  [2, 'GET', '/v1/key'],
  [1, 'GET', '/v1/account'],
  [1, 'GET', '/v1/models'],
  [1, 'GET', '/v1/models/sandbox-small'],
  [1, 'GET', '/v1/plans'],
  [1, 'GET', '/v1/providers'],
  [1, 'GET', '/healthz'],
  [1, 'GET', '/v1/requests/req_00000000000000000000000000000000'],
]

export const TEMPLATES: readonly Template[] = [
  ...listFormat(chatFeatures, { max_completion_tokens: 4 }, 28),
  ...listFormat(responsesFeatures, { max_output_tokens: 4 }, 16),
  ...listFormat(messagesFeatures, { max_tokens: 4 }, 16),
  ...listFormat(geminiFeatures, { generationConfig: { maxOutputTokens: 4 } }, 16),
  ...ROWS.map(([weight, method, path, body]) => ({
    weight,
    method,
    path,
    ...(body !== undefined && { body }),
  })),
]
