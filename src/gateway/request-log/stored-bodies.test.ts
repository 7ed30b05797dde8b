import { afterEach, beforeEach, expect, it } from 'vitest'
import type { LiveEvent } from '../../shared/events.ts'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'

let tollgate: TestGateway
beforeEach(async () => {
  tollgate = await startTestGateway()
})
afterEach(() => tollgate.close())

const keep = (storeBodies: boolean) => tollgate.call('PATCH', '/v1/settings', { body: { storeBodies } })
const bodiesOf = (id: string) => tollgate.call('GET', `/v1/requests/${id}/bodies`)

it('tells of each request whether its prompt and answer are kept, and gives them as they were', async () => {
  const events: LiveEvent[] = []
  tollgate.gateway.subscribe((event) => events.push(event))
  const before = await tollgate.chat({})
  await keep(true)
  const body = JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Keep this' }] })
  const plain = await tollgate.call('POST', '/v1/chat/completions', { body })
  const streamed = await tollgate.chat({ stream: true })
  await keep(false)
  const after = await tollgate.chat({})

  const kept = new Map((await tollgate.records()).map(({ id, bodiesKept }) => [id, bodiesKept]))
  const streamId = streamed.headers.get('x-service-request-id') ?? ''
  const ids = [before.json.id, plain.json.id, streamId, after.json.id]
  expect(ids.map((id) => kept.get(id))).toEqual([false, true, true, false])
  expect((await tollgate.call('GET', `/v1/requests/${streamId}`)).json.bodiesKept).toBe(true)
  const seen = ids.map((id) =>
    events.flatMap((event) =>
      event.type === 'request' && event.request.id === id ? [event.request.bodiesKept] : [],
    ),
  )
  expect(seen).toEqual([
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

it('says why there are none, and tells that from a request that is not known', async () => {
  const { json } = await tollgate.chat({})
  const none = await bodiesOf(json.id)
  expect([none.status, none.json.error]).toMatchObject([
    404,
    { type: 'not_found_error', code: 'bodies_not_kept', message: expect.stringContaining('"storeBodies"') },
  ])
  const unknown = await bodiesOf('req_none')
  expect([unknown.status, unknown.json.error.code]).toEqual([404, undefined])
})

it('deletes all that is kept when asked to, and the requests stay', async () => {
  await keep(true)
  const one = await tollgate.chat({ messages: [{ role: 'user', content: 'canary-body-7' }] })
  await tollgate.chat({ stream: true })
  await keep(false)
  expect((await bodiesOf(one.json.id)).status).toBe(200)
  expect((await tollgate.call('DELETE', '/v1/requests/bodies')).json).toEqual({ deleted: 2 })
  expect((await bodiesOf(one.json.id)).json.error.code).toBe('bodies_not_kept')
  expect((await tollgate.records()).map(({ bodiesKept }) => bodiesKept)).toEqual([false, false])
  expect((await tollgate.call('DELETE', '/v1/requests/bodies')).json).toEqual({ deleted: 0 })
})
