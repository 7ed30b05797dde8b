import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { UpstreamModel } from '../formats/chat/codec-types.ts'
import { UpstreamPool } from './connection-pool.ts'
import { listHttpModels } from './list-models.ts'
import { startTestUpstream, type TestHandler, testTarget } from './testing/test-upstream.ts'

let pool: UpstreamPool
beforeEach(() => {
  pool = new UpstreamPool()
})
afterEach(() => pool.close())

async function list(handler: TestHandler | object): Promise<UpstreamModel[]> {
  const server = await startTestUpstream(
    typeof handler === 'function' ? (handler as TestHandler) : (exchange) => exchange.reply(200, handler),
  )
  try {
    const { signal } = new AbortController()
    return await listHttpModels({ source: testTarget(server.url), credential: 'canary-4711', signal }, pool)
  } finally {
    await server.close()
  }
}

describe('listHttpModels', () => {
  it('reads OpenAI’s shape, each id once, and skips entries that are not models', async () => {
    const rows = [
      { id: 'a', object: 'model', created: 5, owned_by: 'x' },
      { id: 'a' },
      { id: 7 },
      null,
      { id: 'b\n' },
      { id: 'b' },
    ]
    expect(await list({ object: 'list', data: rows })).toEqual([{ id: 'a', created: 5 }, { id: 'b' }])
  })

  it('reads a bare array, and Ollama’s own shape', async () => {
    expect(await list([{ id: 'a' }, 'b'])).toEqual([{ id: 'a' }, { id: 'b' }])
    expect(await list({ models: [{ name: 'llama3:8b', model: 'llama3:8b' }] })).toEqual([{ id: 'llama3:8b' }])
  })

  it('reads OpenRouter’s richer records', async () => {
    const row = {
      id: 'acme/large',
      name: 'Acme: Large',
      created: 1_760_000_000,
      context_length: 200_000,
      architecture: { input_modalities: ['text', 'image'] },
      pricing: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003', image: '0' },
      top_provider: { context_length: 200_000, max_completion_tokens: 64_000 },
      supported_parameters: ['tools', 'reasoning', 'response_format'],
    }
    expect(
      await list({ data: [row, { ...row, id: 'auto', pricing: { prompt: '-1', completion: '-1' } }] }),
    ).toMatchObject([
      {
        id: 'acme/large',
        name: 'Acme: Large',
        contextWindow: 200_000,
        maxOutputTokens: 64_000,
        capabilities: ['vision', 'tools', 'json', 'reasoning', 'streaming'],
        pricing: { inputPerMillion: 3, outputPerMillion: 15, cacheReadPerMillion: 0.3 },
      },
      { id: 'auto', contextWindow: 200_000 },
    ])
  })

  it('has no price where OpenRouter marks it as variable', async () => {
    const [model] = await list({ data: [{ id: 'auto', pricing: { prompt: '-1', completion: '-1' } }] })
    expect(model).toEqual({ id: 'auto' })
  })

  it('reads the context window as vLLM and LM Studio name it', async () => {
    const rows = [
      { id: 'a', max_model_len: 4096 },
      { id: 'b', max_context_length: 8192, type: 'vlm' },
    ]
    expect(await list({ data: rows })).toEqual([
      { id: 'a', contextWindow: 4096 },
      { id: 'b', contextWindow: 8192, capabilities: ['vision', 'streaming'] },
    ])
  })

  it('reads at most 5,000', async () => {
    expect(await list({ data: Array.from({ length: 6000 }, (_, n) => ({ id: `m${n}` })) })).toHaveLength(5000)
  })

  it('fails with a message for a rejected credential and for a response that is not a list', async () => {
    await expect(
      list((exchange) => exchange.reply(401, { error: { message: 'Bad key canary-4711' } })),
    ).rejects.toMatchObject({ kind: 'status', status: 401, message: 'Bad key [redacted]' })
    await expect(list({ hello: 1 })).rejects.toMatchObject({ kind: 'malformed' })
    await expect(list((exchange) => exchange.reply(200, '<html>'))).rejects.toMatchObject({
      kind: 'malformed',
    })
  })
})
