import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import { testSection } from './testing/rule.ts'
import { startForFile } from './testing/upstream.ts'

const test = testSection('Backups')

const { tollgate, upstream } = await startForFile()

const list = async () => (await tollgate.call('GET', '/v1/backups')).json
const make = async (): Promise<string> => (await tollgate.call('POST', '/v1/backups')).json.id
const mark = (id: string, body?: object) =>
  tollgate.call('POST', `/v1/backups/${encodeURIComponent(id)}/restore`, body && { body })
const unmark = (id: string) => tollgate.call('DELETE', `/v1/backups/${encodeURIComponent(id)}/restore`)
const spend = async () => (await tollgate.call('GET', '/v1/key')).json.spendUsd

test('A backup is made on demand, and backups are listed newest first', async () => {
  expect(await list()).toEqual({ data: [], restoreAtStart: null })
  const { status, json } = await tollgate.call('POST', '/v1/backups')
  expect([status, json]).toEqual([
    201,
    {
      id: expect.any(String),
      madeAt: expect.any(String),
      bytes: expect.any(Number),
      imported: false,
      keys: null,
    },
  ])
  expect(Math.abs(Date.parse(json.madeAt) - Date.now())).toBeLessThan(60_000)
  const second = await make()
  expect((await list()).data.map(({ id }: { id: string }) => id)).toEqual([second, json.id])
})

test('A restore happens at the next start', async () => {
  const before = await spend()
  const id = await make()
  await tollgate.chat({})
  const after = await spend()
  expect(after).toBeGreaterThan(before)
  expect((await mark(id)).status).toBe(200)
  expect((await list()).restoreAtStart).toBe(id)
  expect(await spend()).toBe(after)
  await tollgate.restart()
  expect([await spend(), (await list()).restoreAtStart]).toEqual([before, null])
  expect(readdirSync(tollgate.dataDir).filter((name) => name.includes('replaced'))).toEqual([
    expect.stringMatching(/^tollgate\.db\.replaced-\d{8}T\d{9}Z$/),
  ])
  expect(tollgate.readLog()).toContain(`the backup ${id} `)
})

test('A restore happens once, and a canceled one not at all', async () => {
  const id = await make()
  await tollgate.chat({})
  const spent = await spend()
  expect(spent).toBeGreaterThan(0)
  expect((await mark(id)).json).toMatchObject({ restoreAtStart: id })
  expect((await unmark(id)).json).toMatchObject({ restoreAtStart: null })
  await tollgate.restart()
  expect(await spend()).toBe(spent)
})

test('Requests in flight when the restored backup was made are settled as after a crash', async () => {
  await upstream.setCredential()
  const headers = { 'idempotency-key': 'caught' }
  const ask = () => tollgate.chat({ model: 'caught' }, { headers })
  const caught = await upstream.startUnanswered('caught', {}, { headers })
  const id = await make()
  await caught.leave()
  await mark(id)
  await tollgate.restart()
  const [record] = await tollgate.records()
  expect(record).toMatchObject({ requestedModel: 'caught', status: 'failed', costStatus: 'unsettled' })
  const replayed = await ask()
  expect([replayed.status, replayed.json.error.code]).toEqual([502, 'outcome_unknown'])
})

const Answer = z.looseObject({
  id: z.string().default(''),
  error: z.object({ code: z.string().optional() }).optional(),
})

test('A backup can be downloaded as a file, imported again, and restored', async () => {
  const headers = { authorization: `Bearer ${tollgate.admin}` }
  const before = await spend()
  const id = await make()
  const url = `${tollgate.baseUrl}/v1/backups/${encodeURIComponent(id)}/file`
  const downloaded = await fetch(url, { headers })
  expect([downloaded.status, downloaded.headers.get('content-type')]).toEqual([
    200,
    'application/vnd.sqlite3',
  ])
  expect(downloaded.headers.get('content-disposition')).toBe(`attachment; filename="${id}"`)
  const file = Buffer.from(await downloaded.arrayBuffer())
  expect(file.toString('latin1', 0, 15)).toBe('SQLite format 3')
  expect(file.byteLength).toBe(Number(downloaded.headers.get('content-length')))
  expect((await fetch(url.replace(id, 'none'), { headers })).status).toBe(404)

  await tollgate.chat({})
  expect(await spend()).toBeGreaterThan(before)
  const send = async (body: Buffer, type: string) => {
    const response = await fetch(`${tollgate.baseUrl}/v1/backups/import`, {
      method: 'POST',
      headers: { ...headers, 'content-type': type },
      body: new Uint8Array(body),
    })
    return { status: response.status, json: Answer.parse(await response.json()) }
  }
  const other = await send(Buffer.from('not a database'), 'application/vnd.sqlite3')
  expect([other.status, other.json.error?.code]).toEqual([400, 'backup_unusable'])
  expect((await send(file, 'application/json')).status).toBe(415)
  const imported = await send(file, 'application/vnd.sqlite3')
  expect([imported.status, imported.json]).toMatchObject([201, { imported: true }])
  expect((await list()).data[0]).toEqual(imported.json)
  expect((await mark(imported.json.id, { keepKeys: 'yes' })).json.error.param).toBe('keepKeys')
  expect((await mark(imported.json.id, { keepKeys: true })).status).toBe(200)
  await tollgate.restart()
  expect(await spend()).toBe(before)
})

test('A backup is found by its exact name only: anything else is 404', async () => {
  const id = await make()
  for (const name of [
    'none',
    'tollgate.db',
    '../tollgate.db',
    `../backups/${id}`,
    `./${id}`,
    `${id}/..`,
    `${id}\0`,
  ]) {
    expect([name, (await mark(name)).status]).toEqual([name, 404])
  }
  expect((await unmark('../tollgate.db')).status).toBe(404)
  expect((await list()).restoreAtStart).toBeNull()
})

test('A damaged backup is rejected with the reason; one that is damaged later changes nothing', async () => {
  const id = await make()
  await mark(id)
  writeFileSync(join(tollgate.dataDir, 'backups', id), 'no longer a database')
  const spent = await spend()
  await tollgate.restart()
  expect([await spend(), (await list()).restoreAtStart]).toEqual([spent, null])
  const refused = await mark(id)
  expect([refused.status, refused.json.error]).toMatchObject([
    400,
    { type: 'invalid_request_error', code: 'backup_unusable', message: expect.stringContaining('damaged') },
  ])
  expect(tollgate.readLog()).toContain(`The backup ${id} was not restored`)
})
