// What a backup of someone else can do once it was restored.
import { expect, test } from 'vitest'
import { type Answer, startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { forEachTest } from '../testing/lifetime.ts'
import { startTestUpstream, testCompletion } from '../upstream/testing/test-upstream.ts'

type Json = Answer['json']

const theirs = forEachTest(() => startTestGateway())
const mine = forEachTest(() => startTestGateway())
const upstream = forEachTest(() => startTestUpstream((exchange) => exchange.reply(200, testCompletion('Hi'))))

/** Restores a backup of the other gateway. Returns how it is listed. */
async function restoreTheirs(options?: Json): Promise<Json> {
  const { json: backup } = await theirs.call('POST', '/v1/backups')
  const path = `${theirs.baseUrl}/v1/backups/${encodeURIComponent(backup.id)}/file`
  const file = await fetch(path, { headers: { authorization: `Bearer ${theirs.admin}` } })
  const imported = await fetch(`${mine.baseUrl}/v1/backups/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${mine.admin}`, 'content-type': 'application/vnd.sqlite3' },
    body: await file.arrayBuffer(),
  })
  const listed: Json = await imported.json()
  const restore = `/v1/backups/${encodeURIComponent(listed.id)}/restore`
  expect((await mine.call('POST', restore, options && { body: options })).status).toBe(200)
  await mine.restart()
  return listed
}

async function asOwner(tollgate: TestGateway, path: string): Promise<Json> {
  return await (await tollgate.gateway.fetchAsOwner(new Request(`http://owner${path}`))).json()
}

test('its keys do not work, and nothing is sent to the addresses in it, until its new owner says so', async () => {
  await theirs.call('PUT', '/v1/providers/openai', { body: { baseUrl: upstream.url } })
  await theirs.addProvider('local', upstream.url, ['m'])
  await theirs.call('PUT', '/v1/providers/groq', { body: {} })
  await theirs.call('PUT', '/v1/webhook', { body: { url: upstream.url } })
  await theirs.call('PATCH', '/v1/telemetry', { body: { endpoint: upstream.url, includePrompts: true } })
  await theirs.call('PATCH', '/v1/settings', {
    body: { allowedOrigins: ['https://evil.example'], retentionDays: 7 },
  })
  const listed = await restoreTheirs()
  expect(listed.keys).toEqual([{ name: 'Admin', scope: 'admin' }])
  for (const as of [theirs.admin, mine.admin])
    expect((await mine.call('GET', '/v1/keys', { as })).status).toBe(401)
  const keys = await asOwner(mine, '/v1/keys')
  expect(keys.data).toMatchObject([{ name: 'Admin', revokedAt: expect.any(String) }])
  const listProviders = async () => {
    const { data } = await asOwner(mine, '/v1/providers')
    const configured = data.filter(({ configured }: Json) => configured)
    return Object.fromEntries(configured.map(({ id, enabled }: Json) => [id, enabled]))
  }
  expect(await listProviders()).toMatchObject({ openai: false, local: false, groq: true, sandbox: true })
  expect((await asOwner(mine, '/v1/webhook')).url).toBeNull()
  expect(await asOwner(mine, '/v1/telemetry')).toMatchObject({ endpoint: null, includePrompts: false })
  expect(await asOwner(mine, '/v1/settings')).toMatchObject({ allowedOrigins: [], retentionDays: 7 })

  const enable = new Request('http://owner/v1/providers/local', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true }),
  })
  expect((await mine.gateway.fetchAsOwner(enable)).status).toBe(200)
  await mine.restart()
  expect(await listProviders()).toMatchObject({ openai: false, local: true })
  expect(upstream.requests).toEqual([])
})

test('its keys stay valid if the owner keeps them, and providers are confirmed all the same', async () => {
  await theirs.addProvider('local', upstream.url, ['m'])
  await restoreTheirs({ keepKeys: true })
  const { status, json } = await mine.call('GET', '/v1/providers', { as: theirs.admin })
  expect(status).toBe(200)
  expect(json.data.find(({ id }: Json) => id === 'local').enabled).toBe(false)
})

test('a backup of this gateway itself is not foreign', async () => {
  await mine.addProvider('local', upstream.url, ['m'])
  const { json: backup } = await mine.call('POST', '/v1/backups')
  expect(backup.keys).toBeNull()
  await mine.call('POST', `/v1/backups/${encodeURIComponent(backup.id)}/restore`)
  await mine.restart()
  const { json } = await mine.call('GET', '/v1/providers')
  expect(json.data.find(({ id }: Json) => id === 'local').enabled).toBe(true)
})
