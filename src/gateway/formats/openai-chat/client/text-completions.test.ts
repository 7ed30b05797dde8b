import { expect, test } from 'vitest'
import { ChatRequest } from '../../../../shared/formats/chat.ts'
import { TextCompletionRequest } from '../../../../shared/formats/text-completion.ts'
import { mistralFimClient, openaiCompletionsClient } from './codec.ts'

function decode(body: object, client = openaiCompletionsClient) {
  const decoded = client.decodeRequest(TextCompletionRequest.parse({ model: 'm', ...body }))
  ChatRequest.parse(decoded.request)
  return decoded
}

test('a prompt is a message, and the output limit is 16 tokens by default', () => {
  expect(decode({ prompt: 'Say hi' })).toEqual({
    request: { model: 'm', messages: [{ role: 'user', content: 'Say hi' }], max_tokens: 16 },
    unsupported: null,
  })
  expect(decode({ prompt: ['Say hi'], max_tokens: 5 }).request).toMatchObject({
    messages: [{ content: 'Say hi' }],
    max_tokens: 5,
  })
})

test('every option with a counterpart', () => {
  const options = {
    temperature: 0,
    top_p: 0.5,
    frequency_penalty: 0.1,
    presence_penalty: 0.2,
    stop: ['\n'],
    seed: 3,
    logit_bias: { '5': 1 },
    user: 'u',
    n: 2,
    stream: true,
  }
  const { request } = decode({
    prompt: 'x',
    ...options,
    suffix: null,
    echo: false,
    best_of: 1,
    logprobs: null,
  })
  expect(request).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'x' }],
    max_tokens: 16,
    ...options,
  })
})

test('a suffix asks for the text in the middle', () => {
  const { request, unsupported } = decode({ prompt: 'def f(', suffix: '    return x' })
  expect(unsupported).toBeNull()
  expect(request.messages).toEqual([
    { role: 'system', content: expect.stringContaining('at the cursor') },
    {
      role: 'user',
      content: '<before_cursor>def f(</before_cursor><after_cursor>    return x</after_cursor>',
    },
  ])
})

test.each([
  [{ prompt: ['a', 'b'] }, 'prompt', 2],
  [{ prompt: [1, 2, 3] }, 'prompt', undefined],
  [{ prompt: [[1], [2]], n: 3 }, 'prompt', 6],
  [{ prompt: '' }, 'prompt', undefined],
  [{ prompt: 'x', echo: true }, 'echo', undefined],
  [{ prompt: 'x', best_of: 3 }, 'best_of', 3],
  [{ prompt: 'x', logprobs: 2 }, 'logprobs', undefined],
  [{ prompt: 'x', max_tokens: 0 }, 'max_tokens', undefined],
])('%j is refused by chat models, and all its choices are reserved', (body, param, n) => {
  const { request, unsupported } = decode(body)
  expect(unsupported).toMatchObject({ status: 400, param })
  expect(request.n).toBe(n)
})

test('Mistral’s endpoint has its name of the seed, and no default for the limit', () => {
  const { request } = decode({ prompt: 'a', suffix: 'b', random_seed: 7 }, mistralFimClient)
  expect(request).toMatchObject({ seed: 7 })
  expect(request).not.toHaveProperty('max_tokens')
})
