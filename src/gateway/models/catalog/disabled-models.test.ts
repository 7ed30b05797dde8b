import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'
import { forEachTest } from '../../testing/lifetime.ts'

const tollgate = forEachTest(() => startTestGateway())

const put = (id: string, body: object) => tollgate.call('PUT', `/v1/models/${id}`, { body })
const disable = () => put('sandbox-small', { enabled: false })
const listed = async (query = ''): Promise<string[]> =>
  (await tollgate.call('GET', `/v1/models${query}`)).json.data.map(({ id }: { id: string }) => id)
const alias = { provider: 'sandbox', upstreamModel: 'sandbox-small' }

describe('a disabled model', () => {
  test('is listed only on request, and then marked as disabled', async () => {
    const { json } = await disable()
    expect(json).toMatchObject({ id: 'sandbox-small', enabled: false, overridden: false })
    expect(json.override).toEqual({ enabled: false })
    expect(json.priceOrigin.source).toBe('builtin')
    expect(await listed()).not.toContain('sandbox-small')
    expect(await listed('?include=disabled')).toContain('sandbox-small')
    expect((await tollgate.call('GET', '/v1/models?include=all')).status).toBe(400)
    const record = await tollgate.call('GET', '/v1/models/sandbox-small')
    expect([record.status, record.json.enabled]).toEqual([200, false])
  })

  test('is announced in an event, and so is the deletion of the override', async () => {
    const events: string[] = []
    tollgate.gateway.subscribe(({ type }) => events.push(type))
    await disable()
    expect(events).toEqual(['providers'])
    await tollgate.call('DELETE', '/v1/models/sandbox-small')
    expect(events).toEqual(['providers', 'providers'])
    await tollgate.call('DELETE', '/v1/models/sandbox-small')
    expect(events).toHaveLength(2)
  })

  test('is not served under its id or pinned to its provider: 404 that names the view in which to enable it', async () => {
    await disable()
    for (const model of ['sandbox-small', 'sandbox/sandbox-small']) {
      const { status, json } = await tollgate.chat({ model })
      expect(status).toBe(404)
      expect(json.error).toEqual({
        type: 'not_found_error',
        code: 'model_disabled',
        param: 'model',
        message: `The model "${model}" is disabled. Enable it under Models to use it.`,
      })
    }
    expect((await tollgate.records()).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect((await tollgate.chat({ model: 'sandbox-large' })).status).toBe(200)
  })

  test('is skipped as a fallback, and its own fallbacks are used', async () => {
    await tollgate.addProvider('broken', 'http://127.0.0.1:1', [])
    await put('sandbox-small', { fallbacks: ['sandbox-large'] })
    await put('mine', { provider: 'broken', fallbacks: ['sandbox-small'] })
    const servedBy = async () => (await tollgate.chat({ model: 'mine' })).headers.get('x-service-model')
    expect(await servedBy()).toBe('sandbox-small')
    await put('sandbox-small', { fallbacks: ['sandbox-large'], enabled: false })
    expect(await servedBy()).toBe('sandbox-large')
  })

  test('does not disable its aliases, which are separate models', async () => {
    await put('nick', alias)
    await disable()
    expect((await tollgate.chat({ model: 'nick' })).status).toBe(200)
    await put('nick', { ...alias, enabled: false })
    expect((await tollgate.chat({ model: 'nick' })).json.error.code).toBe('model_disabled')
  })

  test('is served again when it is enabled or its override is deleted; only other fields count as overridden', async () => {
    await disable()
    expect((await put('sandbox-small', { enabled: true })).json).toMatchObject({
      enabled: true,
      overridden: false,
    })
    expect((await tollgate.chat({})).status).toBe(200)
    expect((await put('sandbox-small', { enabled: false, contextWindow: 9 })).json.overridden).toBe(true)
    expect((await tollgate.call('DELETE', '/v1/models/sandbox-small')).status).toBe(200)
    expect((await tollgate.chat({})).status).toBe(200)
  })

  test('stays disabled after a restart', async () => {
    await disable()
    await tollgate.restart()
    expect((await tollgate.chat({})).status).toBe(404)
  })
})

describe('an override', () => {
  test('that would leave the model without a provider is rejected and changes nothing', async () => {
    await put('nick', alias)
    const rejected = await put('nick', { enabled: false })
    expect([rejected.status, rejected.json.error.param]).toEqual([400, 'provider'])
    expect((await tollgate.chat({ model: 'nick' })).status).toBe(200)
  })

  test('on a disabled provider is rejected with the reason', async () => {
    await tollgate.addProvider('resting', 'http://127.0.0.1:1', [], { enabled: false })
    const { status, json } = await put('new', { provider: 'resting' })
    expect([status, json.error.param]).toEqual([400, 'provider'])
    expect(json.error.message).toContain('is disabled')
  })
})

describe('an unknown model', () => {
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'is not found, even if its name is a property of every object: %s',
    async (model) => {
      const { status, json } = await tollgate.chat({ model })
      expect([status, json.error.code]).toEqual([404, 'model_not_found'])
      expect(json.error.message).toBe(
        `There is no model "${model}". See GET /v1/models for the available models.`,
      )
    },
  )

  test('is answered with the one that was probably meant, but never with a disabled one', async () => {
    const { json } = await tollgate.chat({ model: 'sandbox-smal' })
    expect(json.error.message).toBe(
      'There is no model "sandbox-smal". Did you mean "sandbox-small"? See GET /v1/models for the available models.',
    )
    await tollgate.call('PUT', '/v1/models/sandbox-small', { body: { enabled: false } })
    expect((await tollgate.chat({ model: 'sandbox-smal' })).json.error.message).not.toContain('sandbox-small')
  })
})
