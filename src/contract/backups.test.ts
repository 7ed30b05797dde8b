import { readdirSync } from 'node:fs'
import { expect } from 'vitest'
import { z } from 'zod'
import { testSection } from './testing/rule.ts'
import { startForFile } from './testing/upstream.ts'

const test = testSection('Backups')

const { tollgate } = await startForFile()

const list = async () => (await tollgate.call('GET', '/v1/backups')).json
const make = async (): Promise<string> => (await tollgate.call('POST', '/v1/backups')).json.id
const mark = (id: string, body?: object) =>
  tollgate.call('POST', `/v1/backups/${encodeURIComponent(id)}/restore`, body && { body })
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
