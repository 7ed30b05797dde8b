// Valid requests of API formats other than chat completions.
import type { Template } from './template.ts'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const PIXEL = 'AA=='
const model = 'sandbox-large'

const responses = {
  model,
  instructions: 'Be brief',
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Hi' },
        { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'auto' },
      ],
    },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
    { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"city":"Rome"}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'Sun' },
    { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: 'x' },
    { type: 'custom_tool_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'Done' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Ok', annotations: [] }] },
    { type: 'message', role: 'user', content: 'Go on' },
  ],
  tools: [
    { type: 'function', name: 'f', parameters, strict: true },
    { type: 'custom', name: 'patch' },
    { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'g', parameters }] },
    { type: 'web_search' },
  ],
  tool_choice: 'auto',
  text: { format: { type: 'json_schema', name: 'a', schema: parameters }, verbosity: 'low' },
  reasoning: { effort: 'low', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  max_output_tokens: 4,
  metadata: { a: 'b' },
  store: false,
}

const messages = {
  model,
  max_tokens: 4,
  system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
        {
          type: 'document',
          source: { type: 'text', media_type: 'text/plain', data: 'Text' },
          title: 'A',
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 'x' },
        { type: 'tool_use', id: 'toolu_1', name: 'f', input: { city: 'Rome' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'Sun' }] },
        { type: 'text', text: 'Go on' },
      ],
    },
    { role: 'system', content: 'In between' },
  ],
  tools: [{ name: 'f', description: 'F', input_schema: parameters }],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  thinking: { type: 'enabled', budget_tokens: 1024 },
  output_config: { effort: 'low' },
  stop_sequences: ['a'],
  metadata: { user_id: 'u' },
  temperature: 1,
}

const generate = {
  systemInstruction: { parts: [{ text: 'Be brief' }] },
  contents: [
    { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: PIXEL } }] },
    {
      role: 'model',
      parts: [{ functionCall: { name: 'f', args: { city: 'Rome' } }, thoughtSignature: 'AAAA' }],
    },
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: { result: 'Sun' } } }] },
  ],
  tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT', properties: {} } }] }],
  toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
  generationConfig: {
    maxOutputTokens: 4,
    temperature: 1,
    stopSequences: ['a'],
    responseMimeType: 'application/json',
    responseJsonSchema: parameters,
    thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true },
    candidateCount: 1,
    seed: 1,
  },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
}
const short = { contents: [{ parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens: 3 } }
const generative = `/v1beta/models/${model}`

export const FORMAT_TEMPLATES: readonly Template[] = [
  { weight: 6, method: 'POST', path: '/v1/responses', body: responses },
  { weight: 6, method: 'POST', path: '/v1/responses', body: { ...responses, stream: true } },
  { weight: 4, method: 'POST', path: '/v1/responses', body: { model, input: 'Hi', max_output_tokens: 3 } },
  { weight: 1, method: 'GET', path: '/v1/responses/resp_1' },
  { weight: 6, method: 'POST', path: '/v1/messages', body: messages },
  { weight: 6, method: 'POST', path: '/v1/messages?beta=true', body: { ...messages, stream: true } },
  {
    weight: 4,
    method: 'POST',
    path: '/v1/messages',
    body: { model, max_tokens: 3, messages: [{ role: 'user', content: 'Hi' }], stream: true },
  },
  { weight: 3, method: 'POST', path: '/v1/messages/count_tokens', body: messages },
  { weight: 6, method: 'POST', path: `${generative}:generateContent`, body: generate },
  { weight: 6, method: 'POST', path: `${generative}:streamGenerateContent?alt=sse`, body: generate },
  { weight: 4, method: 'POST', path: `${generative}:streamGenerateContent`, body: short },
  { weight: 4, method: 'POST', path: `/v1/models/${model}:generateContent`, body: short },
  { weight: 3, method: 'POST', path: `${generative}:countTokens`, body: { contents: short.contents } },
  { weight: 1, method: 'GET', path: '/v1beta/models?pageSize=2' },
  { weight: 1, method: 'GET', path: generative },
  {
    weight: 4,
    method: 'POST',
    path: '/v1/completions',
    body: { model, prompt: ['Hi', 'Ho'], max_tokens: 3, n: 1, echo: true, stream: true, logprobs: 2 },
  },
  {
    weight: 2,
    method: 'POST',
    path: '/v1/completions',
    body: { model, prompt: 'a', suffix: 'b', max_tokens: 3 },
  },
  { weight: 2, method: 'POST', path: '/v1/embeddings', body: { model, input: ['Hi'], dimensions: 8 } },
  { weight: 2, method: 'POST', path: '/v1/moderations', body: { model, input: 'Hi' } },
  { weight: 2, method: 'POST', path: '/v1/rerank', body: { model, query: 'a', documents: ['b'], top_n: 1 } },
  { weight: 2, method: 'POST', path: '/v1/images/generations', body: { model, prompt: 'A cat', n: 1 } },
  { weight: 1, method: 'POST', path: '/v1/images/edits', body: { model, prompt: 'A cat', images: [] } },
  { weight: 2, method: 'POST', path: '/v1/audio/speech', body: { model, input: 'Hi', voice: 'alloy' } },
]
