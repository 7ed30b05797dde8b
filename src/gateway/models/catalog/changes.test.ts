import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { EventHub } from '../../platform/events.ts'
import { withConnection } from '../../store/engine/connection.ts'
import { databasePath } from '../../store/engine/files.ts'
import { tempStore } from '../../store/testing/temp-store.ts'
import { createFailingStore } from '../../testing/failing-store.ts'
import { createMemoryCredentials, startTestGateway } from '../../testing/gateway.ts'
import { forEachTest, forTest } from '../../testing/lifetime.ts'
import { CircuitBreakers } from '../../upstream/circuit-breaker.ts'
import { startTestUpstream } from '../../upstream/testing/test-upstream.ts'
import { Credentials } from '../providers/credentials.ts'
import { ProviderRegistry } from '../providers/registry.ts'
import { Catalog } from './catalog.ts'
import { PriceDatabase } from './price-database.ts'

async function open() {
  const failing = createFailingStore(await tempStore())
  const { store } = failing
  const events = new EventHub()
  const credentials = new Credentials(createMemoryCredentials(), 'home', systemClock)
  const breakers = new CircuitBreakers(systemClock, () => {})
  const providers = new ProviderRegistry({ store, clock: systemClock, credentials, breakers, events }, [], 0)
  return {
    ...failing,
    catalog: new Catalog({
      store,
      clock: systemClock,
      events,
      providers,
      prices: new PriceDatabase(),
      models: [],
      overrides: [],
    }),
  }
}

test('an override that cannot be stored or deleted changes nothing', async () => {
  const { catalog, fail, recover } = await open()
  const isOn = () => catalog.get('sandbox-small').enabled
  fail()
  await expect(catalog.put('sandbox-small', { enabled: false })).rejects.toMatchObject({ code: 'full' })
  expect(isOn()).toBe(true)
  recover()
  await catalog.put('sandbox-small', { enabled: false })
  fail()
  await expect(catalog.dropOverride('sandbox-small')).rejects.toMatchObject({ code: 'full' })
  expect(isOn()).toBe(false)
})

test('a fallback that no provider offers is 400, and changes nothing', async () => {
  const { catalog } = await open()
  const change = catalog.put('sandbox-small', { fallbacks: ['gone'] })
  await expect(change).rejects.toMatchObject({ status: 400, body: { param: 'fallbacks' } })
  expect(catalog.get('sandbox-small').fallbacks).toEqual([])
})

test('two concurrent changes cannot form a cycle of fallbacks', async () => {
  const { catalog } = await open()
  const both = await Promise.allSettled([
    catalog.put('sandbox-small', { fallbacks: ['sandbox-large'] }),
    catalog.put('sandbox-large', { fallbacks: ['sandbox-small'] }),
  ])
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

const tollgate = forEachTest(() => startTestGateway())

const put = (id: string, body: object) =>
  tollgate.call('PUT', `/v1/models/${encodeURIComponent(id)}`, { body: { provider: 'sandbox', ...body } })

const odd = [
  ['a line break', 'a\nb'],
  ['a control character', 'a\x01b'],
  ['DEL', 'a\x7fb'],
  ['a line separator', 'a\u2028b'],
  ['a change of direction', 'a\u202eb'],
  ['a space without a width', 'a\u200bb'],
  ['a leading space', ' a'],
  ['a trailing space', 'a '],
  ['201 characters', 'x'.repeat(201)],
] as const

test.each(odd)('a model id with %s is rejected, also as upstreamModel and as fallback', async (_, id) => {
  const asId = await put(id, { upstreamModel: 'sandbox-small' })
  expect([asId.status, asId.json.error.param]).toEqual([400, 'id'])
  const asUpstream = await put('fine', { upstreamModel: id })
  expect([asUpstream.status, asUpstream.json.error.param]).toEqual([400, 'upstreamModel'])
  const asFallback = await put('fine', { upstreamModel: 'sandbox-small', fallbacks: [id] })
  expect([asFallback.status, asFallback.json.error.param]).toEqual([400, 'fallbacks[0]'])
})

test('a model id may have any script and up to 200 characters', async () => {
  for (const id of ['通义千问', 'modèle', 'x'.repeat(200), 'org/model:free'])
    expect((await put(id, { upstreamModel: 'sandbox-small' })).json).toMatchObject({ id })
})

test('invalid ids in a provider’s own list are omitted', async () => {
  const good = ['good', '模型']
  const upstream = await forTest(
    startTestUpstream((exchange) =>
      exchange.reply(200, {
        object: 'list',
        data: [...good, ...odd.map(([, id]) => id)].map((id) => ({ id })),
      }),
    ),
  )
  await tollgate.addProvider('acme', `${upstream.url}/v1`, [])
  const { json } = await tollgate.call('POST', '/v1/providers/acme/models')
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual(good)
})

test('a local model server is free on this machine and in the local network only', async () => {
  const upstream = await forTest(
    startTestUpstream((exchange) => exchange.reply(200, { object: 'list', data: [{ id: 'm1' }] })),
  )
  const here = await tollgate.call('PUT', '/v1/providers/vllm', { body: { baseUrl: `${upstream.url}/v1` } })
  expect(here.json.local).toBe(true)
  await tollgate.call('POST', '/v1/providers/vllm/models')
  const record = async () => (await tollgate.call('GET', '/v1/models/vllm/m1')).json
  expect((await record()).pricing).toEqual({ inputPerMillion: 0, outputPerMillion: 0 })
  const far = await tollgate.call('PUT', '/v1/providers/vllm', {
    body: { baseUrl: 'https://gpu.example.com/v1' },
  })
  expect(far.json.local).toBe(false)
  expect(await record()).toMatchObject({ pricing: null, priceOrigin: null })
})

test('a list that cannot be stored changes no model, and the list of a removed provider is discarded', async () => {
  let served = ['first']
  let answered = () => {}
  const upstream = await forTest(
    startTestUpstream((exchange) => {
      exchange.reply(200, { object: 'list', data: served.map((id) => ({ id })) })
      answered()
    }),
  )
  await tollgate.addProvider('acme', `${upstream.url}/v1`, [])
  const read = () => tollgate.call('POST', '/v1/providers/acme/models')
  const listed = async () =>
    (await tollgate.call('GET', '/v1/models')).json.data
      .filter(({ provider }: { provider: string }) => provider === 'acme')
      .map(({ id }: { id: string }) => id)
  expect((await read()).status).toBe(200)
  served = ['second']
  const database = databasePath(tollgate.dataDir)
  withConnection(database, (db) => {
    db.exec(`CREATE TRIGGER no_models BEFORE INSERT ON provider_models
      BEGIN SELECT RAISE(ABORT, 'out of order'); END`)
  })
  expect((await read()).status).toBeGreaterThanOrEqual(500)
  expect(await listed()).toEqual(['first'])
  withConnection(database, (db) => db.exec('DROP TRIGGER no_models'))
  expect((await read()).status).toBe(200)
  expect(await listed()).toEqual(['second'])

  const removed = Promise.withResolvers<unknown>()
  answered = () => removed.resolve(tollgate.call('DELETE', '/v1/providers/acme'))
  await read()
  await removed.promise
  await tollgate.addProvider('acme', `${upstream.url}/v1`, [])
  expect(await listed()).toEqual([])
})
