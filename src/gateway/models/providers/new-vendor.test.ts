import { afterEach, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'
import { forTest } from '../../testing/lifetime.ts'
import { startTestUpstream, testCompletion } from '../../upstream/testing/test-upstream.ts'
import { knownProviders } from './known-providers.ts'
import type { KnownProvider } from './provider-traits.ts'

const vendors = knownProviders as KnownProvider[]
const known = vendors.length
afterEach(() => void vendors.splice(known))

test('a vendor with a known API format is one row', async () => {
  const upstream = await forTest(
    startTestUpstream((exchange) => {
      if (exchange.request.path.endsWith('/models')) exchange.reply(200, { data: [{ id: 'new-model' }] })
      else exchange.reply(200, testCompletion('Hello from the new vendor'))
    }),
  )
  const consoleUrl = 'https://console.new.example/keys'
  const row = { id: 'new', name: 'New Vendor', apiFormat: 'openai-chat', needsCredential: true } as const
  vendors.push({ ...row, baseUrl: `${upstream.url}/v1`, consoleUrl })
  const found = { variable: 'NEW_API_KEY', secret: 'secret' }
  const gateway = await startTestGateway({ environment: { find: (id) => (id === 'new' ? found : null) } })
  const { call } = gateway
  const listed = async () =>
    (await call('GET', '/v1/providers')).json.data.find(({ id }: { id: string }) => id === 'new')

  expect(await listed()).toMatchObject({ ...row, configured: false, consoleUrl })
  const inEnvironment = await call('GET', '/v1/providers/environment')
  expect(inEnvironment.json.data).toEqual([{ id: 'new', name: 'New Vendor', variable: 'NEW_API_KEY' }])

  expect((await call('POST', '/v1/providers/new/import')).status).toBe(200)
  await call('POST', '/v1/providers/new/models')
  expect(await listed()).toMatchObject({ configured: true, credentialCount: 1, modelCount: 1 })
  expect((await call('GET', '/v1/models/new-model')).json).toMatchObject({ provider: 'new' })
  const { json } = await gateway.chat({ model: 'new/new-model' })
  expect(json.choices[0].message.content).toBe('Hello from the new vendor')
  expect(upstream.requests.at(-1)?.headers.authorization).toBe('Bearer secret')
  await gateway.close()
})
