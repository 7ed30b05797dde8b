// Retirements of models, as clients and the owner see them.
import { expect, test } from 'vitest'
import { getTimers, systemClock } from '../../../gateway/platform/clock.ts'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { startTestUpstream, testCompletion } from '../../../gateway/upstream/testing/test-upstream.ts'

const DAY = 86_400_000
const RETIRED = Date.parse('2027-03-20')
const HOUR_MS = 3_600_000
const timers = getTimers(systemClock)
/** The look-ups that are due next. */
const due: (() => void)[] = []
const clock = {
  wall: RETIRED - 45 * DAY,
  now: () => clock.wall,
  timers: {
    ...timers,
    setTimeout: (run: () => void, ms: number) => {
      if (ms === HOUR_MS || ms === 90_000) due.push(run)
      return timers.setTimeout(run, ms)
    },
  },
}
let isGone = false
const models: string[] = []
const upstream = await forFile(
  startTestUpstream((exchange) => {
    const { request } = exchange
    if (request.method === 'GET')
      return exchange.reply(200, {
        object: 'list',
        data: [
          { id: 'old', shutdown_date: '2027-03-20' },
          { id: 'new', shutdown_date: null },
          { id: 'unused', shutdown_date: '2027-03-20' },
        ],
      })
    models.push(String(request.json().model))
    if (isGone)
      return exchange.reply(404, {
        error: { message: 'The model `old` does not exist', code: 'model_not_found' },
      })
    exchange.reply(200, testCompletion('Hi'))
  }),
)
const tollgate = await forFile(startTestGateway({ clock }))
await tollgate.call('PUT', '/v1/providers/acme', {
  body: { apiFormat: 'openai-chat', baseUrl: `${upstream.url}/v1`, name: 'Acme', credential: 'x' },
})
await tollgate.call('POST', '/v1/providers/acme/models')
const key = await tollgate.createKey({ name: 'Laptop', scope: 'full' })
const ask = (model: string) =>
  tollgate.chat({ model }, { as: key.secret, headers: { 'user-agent': 'codex_cli_rs/0.169.0' } })
const listNotices = async () => (await tollgate.call('GET', '/v1/activity?kind=model-retiring')).json.data

/** Lets an hour's look-up run. Later reads of the store come after those of the look-up. */
async function lookUp(): Promise<void> {
  for (const run of due.splice(0)) run()
  for (let read = 0; read < 5; read += 1) await tollgate.call('GET', '/v1/usage?groupBy=model')
}

test('the catalog has the date, each call names it, and nothing is sent to another model', async () => {
  const { json } = await tollgate.call('GET', '/v1/models/old')
  expect(json.retirement).toEqual({ on: '2027-03-20', source: null })
  expect((await tollgate.call('GET', '/v1/models/new')).json.retirement).toBeNull()
  const { headers } = await ask('old')
  expect([headers.get('x-tollgate-model-retires'), headers.get('x-service-model')]).toEqual([
    '2027-03-20',
    'old',
  ])
  expect((await ask('new')).headers.get('x-tollgate-model-retires')).toBeNull()
  expect(models).toEqual(['old', 'new'])
})

test('30, 7 and 1 days before, one notice names the keys and agents that use the model', async () => {
  await lookUp()
  expect(await listNotices()).toEqual([])
  for (const [name, model, mode] of [
    ['Nights', 'acme/old', 'on'],
    ['Days', 'old', 'off'],
  ])
    await tollgate.call('POST', '/v1/rules', {
      body: { name, when: [{ kind: 'model', models: ['none'] }], do: [{ kind: 'model', model }], mode },
    })
  for (const [days, notices] of [
    [31, 0],
    [30, 1],
    [29, 1],
    [8, 1],
    [6.5, 2],
    [2, 2],
    [0.5, 3],
    [0.2, 3],
  ] as const) {
    clock.wall = RETIRED - days * DAY
    await ask('old')
    await lookUp()
    await expect.poll(async () => [days, (await listNotices()).length]).toEqual([days, notices])
  }
  const [last] = await listNotices()
  expect(last).toMatchObject({
    subject: { kind: 'model', id: 'old', name: 'old' },
    since: '2027-03-20T00:00:00.000Z',
    reason: 'Keys: Laptop. Agents: Codex. Rules: Nights.',
  })
  await tollgate.restart()
  await lookUp()
  expect(await listNotices()).toHaveLength(3)
})

test('once the day has come, the 404 of the vendor passes with the date', async () => {
  clock.wall = RETIRED
  isGone = true
  models.length = 0
  const { status, json } = await ask('old')
  expect([status, json.error.code]).toEqual([400, 'model_not_found'])
  expect(json.error.message).toBe(
    'The model `old` does not exist. Acme has announced to retire old on 2027-03-20.',
  )
  expect(new Set(models)).toEqual(new Set(['old']))
})
