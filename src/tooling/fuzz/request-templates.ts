// The valid requests that the fuzzer starts from, with their weights.
import { FORMAT_TEMPLATES } from './format-templates.ts'
import type { Json } from './odd-values.ts'
import type { Template } from './template.ts'

const chat = (more: Json): Json => ({
  model: 'sandbox-small',
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 3,
  ...(typeof more === 'object' ? more : {}),
})
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }
const schema = { type: 'object', properties: { a: { type: 'string' } } }

export const TEMPLATES: readonly Template[] = [
  ...FORMAT_TEMPLATES,
  { weight: 8, method: 'POST', path: '/v1/chat/completions', body: chat({}) },
  { weight: 8, method: 'POST', path: '/v1/chat/completions', body: chat({ stream: true, n: 2, seed: 1 }) },
  {
    weight: 6,
    method: 'POST',
    path: '/v1/chat/completions',
    body: chat({
      stream: true,
      stream_options: { include_usage: true },
      temperature: 1,
      stop: ['a', 'b'],
      tools: [tool],
      tool_choice: 'auto',
      parallel_tool_calls: true,
    }),
  },
  {
    weight: 6,
    method: 'POST',
    path: '/v1/chat/completions',
    body: chat({
      model: 'sandbox-large',
      user: 'u',
      max_completion_tokens: 4,
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief' }] },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'done', name: 'f' },
      ],
    }),
  },
  {
    weight: 2,
    method: 'POST',
    path: '/v1/keys',
    body: { name: 'K', scope: 'full', spendLimitUsd: 1, rpmLimit: 5, tpmLimit: 5 },
  },
  {
    weight: 4,
    method: 'PATCH',
    path: '/v1/keys/KEY',
    body: { name: 'K', spendLimitUsd: 1, rpmLimit: null, tpmLimit: 9 },
  },
  {
    weight: 4,
    method: 'POST',
    path: '/v1/pricing/estimate',
    body: { model: 'sandbox-small', monthlyInputTokens: 1e6, monthlyOutputTokens: 5 },
  },
  {
    weight: 3,
    method: 'PUT',
    path: '/v1/models/fuzzed',
    body: {
      provider: 'sandbox',
      upstreamModel: 'sandbox-small',
      pricing: { inputPerMillion: 1, outputPerMillion: 2 },
      capabilities: ['vision'],
      contextWindow: 1000,
      maxOutputTokens: 10,
      fallbacks: ['sandbox-small'],
    },
  },
  { weight: 1, method: 'DELETE', path: '/v1/models/fuzzed' },
  { weight: 1, method: 'PATCH', path: '/v1/account', body: { plan: 'bundle' } },
  { weight: 1, method: 'PATCH', path: '/v1/settings', body: { notifyAtPercent: [50, 80] } },
  { weight: 3, method: 'GET', path: '/v1/requests?limit=5' },
  {
    weight: 2,
    method: 'GET',
    path: '/v1/usage?groupBy=day&splitBy=key&from=2026-01-01&timeZone=Europe/Berlin',
  },
  { weight: 1, method: 'GET', path: '/v1/keys/KEY' },
  { weight: 2, method: 'GET', path: '/v1/key' },
  { weight: 1, method: 'GET', path: '/v1/account' },
  { weight: 1, method: 'GET', path: '/v1/models' },
  { weight: 1, method: 'GET', path: '/v1/models/sandbox-small' },
  { weight: 1, method: 'GET', path: '/v1/plans' },
  { weight: 1, method: 'GET', path: '/v1/providers' },
  { weight: 1, method: 'GET', path: '/healthz' },
  { weight: 1, method: 'GET', path: '/v1/requests/req_00000000000000000000000000000000' },
]
