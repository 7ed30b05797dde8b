import { expect, it } from 'vitest'
import type { LiveEvent } from '../../../shared/api/events.ts'
import { startTestGateway } from '../../testing/gateway.ts'
import { forEachTest } from '../../testing/lifetime.ts'

const tollgate = forEachTest(() => startTestGateway())

const setStoreBodies = (storeBodies: boolean) =>
  tollgate.call('PATCH', '/v1/settings', { body: { storeBodies } })
const getBodies = (id: string) => tollgate.call('GET', `/v1/requests/${id}/bodies`)

it('reports for each request whether its prompt and answer are stored, and returns them unchanged', async () => {
  const events: LiveEvent[] = []
  tollgate.gateway.subscribe((event) => events.push(event))
  const before = await tollgate.chat({})
  await setStoreBodies(true)
  const body = JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Store this' }] })
  const plain = await tollgate.call('POST', '/v1/chat/completions', { body })
  const streamed = await tollgate.chat({ stream: true })
  await setStoreBodies(false)
  const after = await tollgate.chat({})

  const stored = new Map((await tollgate.records()).map(({ id, bodiesKept }) => [id, bodiesKept]))
  const streamId = streamed.headers.get('x-service-request-id') ?? ''
  const ids = [before.json.id, plain.json.id, streamId, after.json.id]
  expect(ids.map((id) => stored.get(id))).toEqual([false, true, true, false])
  expect((await tollgate.getRecord(streamId)).bodiesKept).toBe(true)
  const published = ids.map((id) =>
    events.flatMap((event) =>
      event.type === 'request' && event.request.id === id ? [event.request.bodiesKept] : [],
    ),
  )
  expect(published).toEqual([
    [false, false],
    [false, true],
    [false, true],
    [false, false],
  ])
  expect((await getBodies(plain.json.id)).json).toMatchObject({
    requestId: plain.json.id,
    request: body,
    response: plain.text,
  })
  expect((await getBodies(streamId)).json.response).toBe(streamed.text)
})

it('stores until a time that is set, and by the choice of the key', async () => {
  const isKept = async (secret?: string) => {
    const { json } = await tollgate.chat({}, secret === undefined ? {} : { as: secret })
    return (await tollgate.getRecord(json.id)).bodiesKept
  }
  const set = (body: object) => tollgate.call('PATCH', '/v1/settings', { body })
  const createKey = async (storeBodies: boolean | null) =>
    (await tollgate.call('POST', '/v1/keys', { body: { name: 'k', scope: 'full', storeBodies } })).json
  const always = await createKey(true)
  const never = await createKey(false)
  const kept = async () => [await isKept(), await isKept(always.secret), await isKept(never.secret)]
  expect(await kept()).toEqual([false, true, false])
  expect((await set({ storeBodiesUntil: '2020-01-01T00:00:00.000Z' })).status).toBe(200)
  expect(await kept()).toEqual([false, true, false])
  await set({ storeBodiesUntil: new Date(Date.now() + 60_000).toISOString() })
  expect(await kept()).toEqual([true, true, false])
  await set({ storeBodies: true, storeBodiesUntil: null })
  expect(await kept()).toEqual([true, true, false])
  await tollgate.call('PATCH', `/v1/keys/${never.id}`, { body: { storeBodies: null } })
  await tollgate.call('PATCH', `/v1/keys/${always.id}`, { body: { storeBodies: false } })
  expect(await kept()).toEqual([true, false, true])
  expect((await tollgate.getKey(always.id)).storeBodies).toBe(false)
  expect((await set({ storeBodiesUntil: 'soon' })).status).toBe(400)
})

it('explains why a request has none, unlike for an unknown request', async () => {
  const { json } = await tollgate.chat({})
  const none = await getBodies(json.id)
  expect([none.status, none.json.error]).toMatchObject([
    404,
    { type: 'not_found_error', code: 'bodies_not_kept', message: expect.stringContaining('"storeBodies"') },
  ])
  const unknown = await getBodies('req_none')
  expect([unknown.status, unknown.json.error.code]).toEqual([404, undefined])
})

it('deletes all stored bodies, but not the requests', async () => {
  await setStoreBodies(true)
  const one = await tollgate.chat({ messages: [{ role: 'user', content: 'canary-body-7' }] })
  await tollgate.chat({ stream: true })
  await setStoreBodies(false)
  expect((await getBodies(one.json.id)).status).toBe(200)
  expect((await tollgate.call('DELETE', '/v1/requests/bodies')).json).toEqual({ deleted: 2 })
  expect((await getBodies(one.json.id)).json.error.code).toBe('bodies_not_kept')
  expect((await tollgate.records()).map(({ bodiesKept }) => bodiesKept)).toEqual([false, false])
  expect((await tollgate.call('DELETE', '/v1/requests/bodies')).json).toEqual({ deleted: 0 })
})
