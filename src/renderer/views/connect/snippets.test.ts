import { expect, it } from 'vitest'
import { pickModel, snippets } from './snippets.ts'

const input = { baseUrl: 'http://127.0.0.1:8655/v1', secret: 'tg-secret', model: 'meta/llama-4' }
const codeOf = (id: string) =>
  snippets(input)
    .find((snippet) => snippet.id === id)
    ?.blocks.map(({ code }) => code)
    .join('\n') ?? ''

it('puts address, key and model into every snippet', () => {
  for (const { id } of snippets(input)) {
    // Open WebUI reads the list of models by itself.
    const { baseUrl, secret, model } = input
    const needed = id === 'open-webui' ? [baseUrl, secret] : [baseUrl, secret, model]
    for (const value of needed) expect(codeOf(id), id).toContain(value)
  }
})

it('gives configuration that parses', () => {
  const zed = snippets(input).find(({ id }) => id === 'zed')?.blocks[0]?.code ?? ''
  expect(JSON.parse(zed).language_models.openai_compatible.Tollgate.api_url).toBe(input.baseUrl)
  expect(JSON.parse(codeOf('opencode')).provider.tollgate.options).toEqual({
    baseURL: input.baseUrl,
    apiKey: input.secret,
  })
})

it('keeps a quote in a model name from ending the shell’s string', () => {
  const curl = snippets({ ...input, model: "it's" })[0]?.blocks[0]?.code
  expect(curl).toContain(`it'\\''s`)
})

it('begins with a real provider’s model whose price is known, before the sandbox’s', () => {
  const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
  const sandbox = { id: 'sandbox-large', provider: 'sandbox', pricing }
  const unpriced = { id: 'a-local-one', provider: 'here', pricing: null }
  expect(pickModel([unpriced, sandbox, { id: 'gpt-5.5', provider: 'openai', pricing }])).toBe('gpt-5.5')
  expect(pickModel([unpriced, sandbox])).toBe('a-local-one')
  expect(pickModel([sandbox])).toBe('sandbox-small')
})
