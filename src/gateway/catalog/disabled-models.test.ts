// What turning a model off does, seen over HTTP.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'

let tollgate: TestGateway
beforeEach(async () => {
  tollgate = await startTestGateway()
})
afterEach(() => tollgate.close())

const put = (id: string, body: object) => tollgate.call('PUT', `/v1/models/${id}`, { body })
const turnOff = () => put('sandbox-small', { enabled: false })
const listed = async (query = ''): Promise<string[]> =>
  (await tollgate.call('GET', `/v1/models${query}`)).json.data.map(({ id }: { id: string }) => id)
const alias = { provider: 'sandbox', upstreamModel: 'sandbox-small' }

describe('a model that is turned off', () => {
  it('is listed only when that is asked for, and its record says so', async () => {
    const { json } = await turnOff()
    expect(json).toMatchObject({ id: 'sandbox-small', enabled: false, overridden: false })
    expect(json.override).toEqual({ enabled: false })
    expect(json.priceOrigin.source).toBe('builtin')
    expect(await listed()).toEqual(['sandbox-large'])
    expect(await listed('?include=disabled')).toEqual(['sandbox-large', 'sandbox-small'])
    expect((await tollgate.call('GET', '/v1/models?include=all')).status).toBe(400)
    const record = await tollgate.call('GET', '/v1/models/sandbox-small')
    expect([record.status, record.json.enabled]).toEqual([200, false])
  })

  it('is told to listeners, and so is that the word on it was taken back', async () => {
    const told: string[] = []
    tollgate.gateway.subscribe(({ type }) => told.push(type))
    await turnOff()
    expect(told).toEqual(['providers'])
    await tollgate.call('DELETE', '/v1/models/sandbox-small')
    expect(told).toEqual(['providers', 'providers'])
    await tollgate.call('DELETE', '/v1/models/sandbox-small')
    expect(told).toHaveLength(2)
  })

  it('is not served under its id or pinned to its provider: 404 that says where to turn it on', async () => {
    await turnOff()
    for (const model of ['sandbox-small', 'sandbox/sandbox-small']) {
      const { status, json } = await tollgate.chat({ model })
      expect(status).toBe(404)
      expect(json.error).toEqual({
        type: 'not_found_error',
        code: 'model_disabled',
        param: 'model',
        message: `The model "${model}" is turned off. Turn it on under Models to use it.`,
      })
    }
    expect((await tollgate.records()).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect((await tollgate.chat({ model: 'sandbox-large' })).status).toBe(200)
  })

  it('is left out where it is a fallback, and what follows it is tried', async () => {
    await tollgate.addProvider('broken', 'http://127.0.0.1:1', [])
    await put('sandbox-small', { fallbacks: ['sandbox-large'] })
    await put('mine', { provider: 'broken', fallbacks: ['sandbox-small'] })
    const servedBy = async () => (await tollgate.chat({ model: 'mine' })).headers.get('x-service-model')
    expect(await servedBy()).toBe('sandbox-small')
    await put('sandbox-small', { fallbacks: ['sandbox-large'], enabled: false })
    expect(await servedBy()).toBe('sandbox-large')
  })

  it('leaves an alias of it alone, which is a model of its own', async () => {
    await put('nick', alias)
    await turnOff()
    expect((await tollgate.chat({ model: 'nick' })).status).toBe(200)
    await put('nick', { ...alias, enabled: false })
    expect((await tollgate.chat({ model: 'nick' })).json.error.code).toBe('model_disabled')
  })

  it('is served again once it is turned on, or its override dropped; other overrides count as such', async () => {
    await turnOff()
    expect((await put('sandbox-small', { enabled: true })).json).toMatchObject({
      enabled: true,
      overridden: false,
    })
    expect((await tollgate.chat({})).status).toBe(200)
    expect((await put('sandbox-small', { enabled: false, contextWindow: 9 })).json.overridden).toBe(true)
    expect((await tollgate.call('DELETE', '/v1/models/sandbox-small')).status).toBe(200)
    expect((await tollgate.chat({})).status).toBe(200)
  })

  it('stays off after a restart', async () => {
    await turnOff()
    const { dataDir, admin } = tollgate
    await tollgate.gateway.close()
    const again = await startTestGateway({ dataDir, admin })
    expect((await again.chat({})).status).toBe(404)
    await again.close()
  })
})

describe('an override', () => {
  it('that would leave the model without a provider is refused and changes nothing', async () => {
    await put('nick', alias)
    const bare = await put('nick', { enabled: false })
    expect([bare.status, bare.json.error.param]).toEqual([400, 'provider'])
    expect((await tollgate.chat({ model: 'nick' })).status).toBe(200)
  })

  it('on a provider that is turned off is refused with the reason', async () => {
    await tollgate.addProvider('resting', 'http://127.0.0.1:1', [], { enabled: false })
    const { status, json } = await put('new', { provider: 'resting' })
    expect([status, json.error.param]).toEqual([400, 'provider'])
    expect(json.error.message).toContain('is disabled')
  })
})

describe('a model that nobody knows', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'is nobody’s, whatever JavaScript makes of its name: %s',
    async (model) => {
      const { status, json } = await tollgate.chat({ model })
      expect([status, json.error.code]).toEqual([404, 'model_not_found'])
      expect(json.error.message).toBe(
        `There is no model "${model}". See GET /v1/models for what can be served now.`,
      )
    },
  )
})
