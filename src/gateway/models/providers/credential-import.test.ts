import { afterEach, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../testing/gateway.ts'

let gateway: TestGateway | null = null
afterEach(async () => {
  await gateway?.close()
  gateway = null
})

async function start(secrets: Record<string, string>): Promise<TestGateway> {
  gateway = await startTestGateway({
    environment: {
      find: (id) => (secrets[id] ? { variable: `${id.toUpperCase()}_API_KEY`, secret: secrets[id] } : null),
    },
  })
  return gateway
}

const configured = async ({ call }: TestGateway) =>
  (await call('GET', '/v1/providers')).json.data
    .filter((row: { configured: boolean }) => row.configured)
    .map((row: { id: string }) => row.id)

test('credentials in the environment are listed by name and imported only on request', async () => {
  const started = await start({ groq: 'canary-groq', openai: 'canary-openai', unknown: 'canary' })
  const offered = await started.call('GET', '/v1/providers/environment')
  expect(offered.json.data).toEqual([
    { id: 'openai', name: 'OpenAI', variable: 'OPENAI_API_KEY' },
    { id: 'groq', name: 'Groq', variable: 'GROQ_API_KEY' },
  ])
  expect(await configured(started)).toEqual(['sandbox'])

  const imported = await started.call('POST', '/v1/providers/groq/import')
  expect(imported.status).toBe(200)
  expect(imported.json).toMatchObject({ id: 'groq', configured: true, credentialCount: 1 })
  expect(offered.text + imported.text).not.toContain('canary')
  const remaining = await started.call('GET', '/v1/providers/environment')
  expect(remaining.json.data.map((row: { id: string }) => row.id)).toEqual(['openai'])
})

test('an import that is not possible is an error, and does not replace a credential', async () => {
  const started = await start({ openai: 'from-environment' })
  const importFrom = async (id: string) => (await started.call('POST', `/v1/providers/${id}/import`)).status
  expect([await importFrom('unknown'), await importFrom('ollama'), await importFrom('mistral')]).toEqual([
    404, 404, 400,
  ])
  await started.call('PUT', '/v1/providers/openai', { body: { credential: 'entered' } })
  expect(await importFrom('openai')).toBe(400)
})

test('imports and discovery are for admins only', async () => {
  const started = await start({ openai: 'x' })
  const { secret } = await started.createKey({ name: 'app', scope: 'full' })
  for (const [method, path] of [
    ['GET', '/v1/providers/environment'],
    ['POST', '/v1/providers/openai/import'],
    ['POST', '/v1/providers/discover'],
    ['POST', '/v1/prices/refresh'],
  ] as const)
    expect((await started.call(method, path, { as: secret })).status).toBe(403)
})

test('local servers are discovered on their usual ports, and none is added', async () => {
  const started = await start({})
  const { status, json } = await started.call('POST', '/v1/providers/discover')
  expect(status).toBe(200)
  expect(json.data.map((row: { id: string }) => row.id)).toEqual(['ollama', 'lmstudio', 'llamacpp', 'vllm'])
  expect(json.data[0]).toEqual({
    id: 'ollama',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    configured: false,
    running: expect.any(Boolean),
    modelCount: expect.any(Number),
  })
  expect(await configured(started)).toEqual(['sandbox'])
})
