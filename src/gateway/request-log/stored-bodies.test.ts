import { afterEach, beforeEach, expect, it } from 'vitest'
import type { LiveEvent } from '../../shared/events.ts'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'

let tollgate: TestGateway
beforeEach(async () => {
  tollgate = await startTestGateway()
})
afterEach(() => tollgate.close())

const setStoreBodies = (storeBodies: boolean) =>
  tollgate.call('PATCH', '/v1/settings', { body: { storeBodies } })
const bodiesOf = (id: string) => tollgate.call('GET', `/v1/requests/${id}/bodies`)

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
  expect((await tollgate.call('GET', `/v1/requests/${streamId}`)).json.bodiesKept).toBe(true)
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
  expect((await bodiesOf(plain.json.id)).json).toEqual({
    requestId: plain.json.id,
    request: body,
    response: plain.text,
  })
  expect((await bodiesOf(streamId)).json.response).toBe(streamed.text)
})

it('explains why a request has none, unlike for an unknown request', async () => {
  const { json } = await tollgate.chat({})
  const none = await bodiesOf(json.id)
  expect([none.status, none.json.error]).toMatchObject([
    404,
    { type: 'not_found_error', code: 'bodies_not_kept', message: expect.stringContaining('"storeBodies"') },
  ])
  const unknown = await bodiesOf('req_none')
  expect([unknown.status, unknown.json.error.code]).toEqual([404, undefined])
})

it('deletes all stored bodies, but not the requests', async () => {
  await setStoreBodies(true)
  const one = await tollgate.chat({ messages: [{ role: 'user', content: 'canary-body-7' }] })
  await tollgate.chat({ stream: true })
  await setStoreBodies(false)
  expect((await bodiesOf(one.json.id)).status).toBe(200)
  expect((await tollgate.call('DELETE', '/v1/requests/bodies')).json).toEqual({ deleted: 2 })
  expect((await bodiesOf(one.json.id)).json.error.code).toBe('bodies_not_kept')
  expect((await tollgate.records()).map(({ bodiesKept }) => bodiesKept)).toEqual([false, false])
  expect((await tollgate.call('DELETE', '/v1/requests/bodies')).json).toEqual({ deleted: 0 })
})
