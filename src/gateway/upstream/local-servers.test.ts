import { afterEach, beforeEach, expect, test } from 'vitest'
import { UpstreamPool } from './connection-pool.ts'
import { addLocalDetails, probeLocal } from './list-models.ts'
import {
  startTestUpstream,
  type TestHandler,
  type TestUpstream,
  testTarget,
} from './testing/test-upstream.ts'

let pool: UpstreamPool
let server: TestUpstream | null = null
beforeEach(() => {
  pool = new UpstreamPool()
})
afterEach(async () => {
  await pool.close()
  await server?.close()
  server = null
})

async function serve(handler: TestHandler): Promise<string> {
  server = await startTestUpstream(handler)
  return `${server.url}/v1`
}

const details = (kind: 'ollama' | 'lmstudio' | 'llamacpp', baseUrl: string, ...ids: string[]) =>
  addLocalDetails(
    ids.map((id) => ({ id })),
    kind,
    { source: testTarget(baseUrl), credential: null, signal: new AbortController().signal },
    pool,
  )

test('a server that lists its models is detected; an HTML page, no response and a closed port are not', async () => {
  const url = await serve((exchange) => {
    const { path } = exchange.request
    if (path === '/v1/models') exchange.reply(200, { object: 'list', data: [{ id: 'a' }, { id: 'b' }] })
    else if (path === '/page/models') exchange.reply(200, '<html>', { 'content-type': 'text/html' })
  })
  const probe = (baseUrl: string) => probeLocal({ id: 'x', baseUrl }, pool)
  expect(
    await Promise.all([
      probe(url),
      probe(url.replace('/v1', '/page')),
      probe(url.replace('/v1', '/silent')),
      probe('http://127.0.0.1:9/v1'),
    ]),
  ).toEqual([2, null, null, null])
})

test('Ollama: context and capabilities from /api/show, model by model', async () => {
  const url = await serve((exchange) => {
    const { model } = exchange.request.json()
    if (model === 'llava') {
      exchange.reply(200, {
        capabilities: ['completion', 'vision', 'tools', 'thinking'],
        model_info: { 'general.architecture': 'llama', 'llama.context_length': 131072 },
      })
    } else exchange.reply(404, { error: 'not found' })
  })
  expect(await details('ollama', url, 'llava', 'removed')).toEqual([
    {
      id: 'llava',
      contextWindow: 131072,
      capabilities: ['vision', 'tools', 'json', 'reasoning', 'streaming'],
    },
    { id: 'removed' },
  ])
  expect(server?.requests[0]).toMatchObject({ method: 'POST', path: '/api/show' })
})

test('LM Studio: its own list, joined by id', async () => {
  const url = await serve((exchange) =>
    exchange.reply(200, {
      data: [
        { id: 'q', type: 'vlm', max_context_length: 32768, capabilities: ['tool_use'] },
        { id: 'other', type: 'llm', max_context_length: 4096 },
      ],
    }),
  )
  const [model, ...more] = await details('lmstudio', url, 'q')
  expect(more).toEqual([])
  expect(model).toEqual({ id: 'q', contextWindow: 32768, capabilities: ['vision', 'tools', 'streaming'] })
  expect(server?.requests[0]?.path).toBe('/api/v0/models')
})

test('llama.cpp: the context it was started with, its modalities and its template', async () => {
  const url = await serve((exchange) =>
    exchange.reply(200, {
      default_generation_settings: { n_ctx: 8192 },
      modalities: { vision: false, audio: false },
      chat_template: '{% if tools %}…{% endif %}',
    }),
  )
  expect(await details('llamacpp', url, 'm')).toEqual([
    { id: 'm', contextWindow: 8192, capabilities: ['tools', 'json', 'streaming'] },
  ])
})

test('a server without details, or with malformed ones, leaves the list unchanged', async () => {
  const url = await serve((exchange) =>
    exchange.request.path === '/props' ? exchange.reply(200, '[') : exchange.reply(500, {}),
  )
  for (const kind of ['ollama', 'lmstudio', 'llamacpp'] as const)
    expect(await details(kind, url, 'm')).toEqual([{ id: 'm' }])
})
