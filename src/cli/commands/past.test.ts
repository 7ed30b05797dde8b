// Commands about what was: sessions, other models, and what providers have billed.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Reconciliation } from '../../features/reconcile/api/reconciliations.ts'
import { Repricing } from '../../features/reprice/api/repricing.ts'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { tempDirForFile } from '../../gateway/testing/temp-dir.ts'
import { startTestUpstream, testCompletion } from '../../gateway/upstream/testing/test-upstream.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import { startCommandHost } from '../testing/command-host.ts'

const dir = tempDirForFile()
const command = await forFile(startCommandHost())
const { tollgate } = command
const { client } = command
/** Ends a request without an answer, and rejects its repetition: its cost is not known. */
let isMute = false
let calls = 0
const upstream = await forFile(
  startTestUpstream((exchange) => {
    if (!isMute) return exchange.reply(200, testCompletion('Hello'))
    calls += 1
    if (calls % 2 === 0) exchange.reply(400, { error: { message: 'not again' } })
    else exchange.reset()
  }),
)
await client.call('putProvider', {
  params: { id: 'vendor' },
  body: { apiFormat: 'openai-chat', baseUrl: upstream.url, credential: 'x' },
})
for (const [id, price] of [
  ['big', 10],
  ['small', 1],
] as const) {
  const pricing = { inputPerMillion: price, outputPerMillion: 2 * price }
  await client.call('putModel', {
    params: { id },
    body: { provider: 'vendor', pricing, maxOutputTokens: 1000 },
  })
}
const { secret } = await client.call('createKey', { body: { name: 'agents', scope: 'full', tag: 'shop' } })
await send('big', 'first')
await send('small', 'first')
isMute = true
await send('big', 'second')
isMute = false

async function send(model: string, session: string): Promise<void> {
  const response = await fetch(`${command.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'x-tollgate-session': session,
    },
    body: JSON.stringify({ model, max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await response.arrayBuffer()
}

async function records(): Promise<RequestRecord[]> {
  return (await client.call('listRequests')).data
}

test('sessions are listed, and one shows its steps with the growing cost', async () => {
  const listed = JSON.parse((await tollgate('sessions', '--json')).stdout)
  expect(listed).toMatchObject([{ requests: 1 }, { requests: 2, tag: 'shop' }])
  const [, first] = listed
  const table = (await tollgate('sessions', '--tag', 'shop', '--sort', 'cost', '-n', '1')).stdout.split('\n')
  expect(table).toHaveLength(3)
  expect(table[0]).toMatch(/^LAST +ID +TOOL +PROJECT +TITLE +TIME +REQUESTS +COST$/)
  expect((await tollgate('sessions', '--key', 'agents', '--since', '1s')).code).toBe(0)

  const shown = await tollgate('sessions', first.id)
  expect(shown.stdout).toMatch(/^Project +shop$/m)
  const steps = shown.stdout.split('\n').filter((line) => / req_/.test(line))
  expect(steps.map((line) => /(big|small)/.exec(line)?.[1])).toEqual(['big', 'small'])
  const { steps: records, costUsd } = JSON.parse((await tollgate('sessions', first.id, '--json')).stdout)
  expect(records).toHaveLength(2)
  expect(steps[1]).toMatch(new RegExp(`\\$${String(costUsd).replace('.', '\\.')}0*$`))
  expect(await tollgate('sessions', 'nothing')).toMatchObject({ code: 1, stdout: '' })
  expect(await tollgate('sessions', '--tag', 'none')).toMatchObject({ code: 0, stdout: '' })
})

test('reprice shows what requests would have cost with each model, or with one, divided', async () => {
  const all = Repricing.parse(JSON.parse((await tollgate('reprice', '--json')).stdout))
  const small = all.data.find(({ model }) => model === 'small')
  expect(small).toMatchObject({ served: all.requests })
  const text = (await tollgate('reprice', '-n', '1')).stdout.split('\n')
  expect(text[0]).toMatch(/^\d requests, charged \$/)
  expect(text[2]).toMatch(/^MODEL +PROVIDER +REQUESTS +CHARGED +COST +UNCACHED +CHANGE$/)
  const one = (await tollgate('reprice', 'small', '--served', 'big')).stdout
  expect(one).toMatch(/^agents +2 .* -90%$/m)
  expect(await tollgate('reprice', 'nothing')).toMatchObject({ code: 1, stdout: '' })
  const before = await tollgate('reprice', '--last-month')
  expect([before.code, before.stderr]).toEqual([0, 'No request can be priced.\n'])
})

const HEADER = 'generation_id,created_at,cost_total,tokens_prompt,tokens_completion,model_permaslug'
const findRow = ({ createdAt, tokensIn, tokensOut, model, costUsd }: RequestRecord, cost = costUsd ?? 0) =>
  `gen,${createdAt},${cost.toFixed(12)},${tokensIn},${tokensOut},vendor/${model}-20260910`

function writeExport(name: string, rows: readonly string[]): string {
  const path = join(dir, name)
  writeFileSync(path, rows.join('\n'))
  return path
}

test('reconcile compares an export, and settles what is uncertain on demand', async () => {
  const [open, small, big] = await records()
  if (!open || !small || !big) throw new Error('requests are missing')
  expect(open.costStatus).toBe('unsettled')
  const path = writeExport('export.csv', [
    HEADER,
    findRow(open, 0.000_012),
    findRow(small),
    findRow(big, 0.5),
  ])
  const compared = await tollgate('reconcile', path, '--provider', 'vendor')
  expect(compared.code).toBe(1)
  expect(compared.stdout).toMatch(/^Matching +1 of 3 requests$/m)
  expect(compared.stdout).toMatch(/^To settle +1 charge, which changes spend by .*: --settle$/m)
  expect(compared.stdout).toMatch(/big +Differs +\$0\.5/)
  const settled = await tollgate('reconcile', path, '--provider', 'vendor', '--settle', '--json')
  expect(Reconciliation.parse(JSON.parse(settled.stdout))).toMatchObject({
    provider: 'vendor',
    settled: { requests: 1 },
  })
  expect((await records())[0]).toMatchObject({ costStatus: 'confirmed', costUsd: 0.000_012 })
  const matching = writeExport('same.csv', [HEADER, ...(await records()).map((record) => findRow(record))])
  expect(await tollgate('reconcile', matching, '--provider', 'vendor')).toMatchObject({ code: 0, stderr: '' })
})

test('an export that cannot be read, or is of another kind or provider, says what to do', async () => {
  const missing = await tollgate('reconcile', join(dir, 'none.csv'))
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringMatching(/^tollgate: The file .* cannot be read/),
  ])
  const own = await tollgate('reconcile', writeExport('own.csv', ['date,cost', '2026-11-20,0.001']))
  expect([own.code, own.stdout, own.stderr]).toEqual([
    1,
    '',
    expect.stringContaining('or the activity of OpenRouter'),
  ])
  const row = 'gen,2026-11-20T10:00:00Z,0.01,10,5,big'
  const other = await tollgate('reconcile', writeExport('other.csv', [HEADER, row]))
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('“openrouter” is not set up')])
})
