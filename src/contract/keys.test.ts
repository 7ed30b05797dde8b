import { expect } from 'vitest'
import { findInFiles } from '../gateway/testing/find-in-files.ts'
import { says, shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('API keys')

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const make = (body: object) => tollgate.call('POST', '/v1/keys', { body })
const get = (id: string) => tollgate.call('GET', `/v1/keys/${id}`)
const patch = (id: string, body: object) => tollgate.call('PATCH', `/v1/keys/${id}`, { body })
const revoke = (id: string) => tollgate.call('DELETE', `/v1/keys/${id}`)

test('A listed key has id, name, scope, createdAt, lastUsedAt, revokedAt, spendUsd, reservedUsd and its limits, as GET /v1/keys/{id} returns it', async () => {
  const { id } = await tollgate.createKey({ name: 'listed', scope: 'full', spendLimitUsd: 2, rpmLimit: 3 })
  const { json } = await tollgate.call('GET', '/v1/keys')
  const listed = json.data.find((key: { id: string }) => key.id === id)
  expect(listed).toMatchObject({
    ...{ id, name: 'listed', scope: 'full', createdAt: expect.stringMatching(ISO) },
    ...{ lastUsedAt: null, revokedAt: null, storeBodies: null, spendUsd: 0, reservedUsd: 0 },
    ...{ spendLimitUsd: 2, rpmLimit: 3, tpmLimit: null },
  })
  expect((await get(id)).json).toEqual(listed)
})

test('The secret is never part of the listed metadata', async () => {
  const { id, secret } = await tollgate.createKey({ name: 'secretive', scope: 'full' })
  const answers = [
    await tollgate.call('GET', '/v1/keys'),
    await get(id),
    await patch(id, { name: 'still so' }),
  ]
  for (const answer of [...answers, await revoke(id)]) expect(answer.text).not.toContain(secret)
})

test('lastUsedAt is null until the key is used, and a time afterwards', async () => {
  const key = await tollgate.createKey({ name: 'used', scope: 'full' })
  expect((await get(key.id)).json.lastUsedAt).toBeNull()
  await tollgate.call('GET', '/v1/models', { as: key.secret })
  expect((await get(key.id)).json.lastUsedAt).toMatch(ISO)
})

test('Creation answers 201 with id, secret, name, scope and createdAt; a secret is tg- and 43 base64url characters; ids are key_ and req_', async () => {
  const { status, json, headers } = await make({ name: 'new', scope: 'read-only', spendLimitUsd: 3 })
  expect(status).toBe(201)
  expect(json).toEqual({
    id: expect.stringMatching(/^key_[A-Za-z0-9]+$/),
    secret: expect.stringMatching(/^tg-[A-Za-z0-9_-]{43}$/),
    ...{ name: 'new', scope: 'read-only', createdAt: expect.stringMatching(ISO) },
  })
  expect(headers.get('x-service-request-id')).toMatch(/^req_[A-Za-z0-9]+$/)
})

test('The service cannot recover a secret: no file contains it', async () => {
  const { secret } = await tollgate.createKey({ name: 'unrecoverable', scope: 'full' })
  await tollgate.call('POST', '/v1/keys', {
    body: { name: 'sealed', scope: 'full' },
    headers: { 'idempotency-key': 'sealed-creation' },
  })
  expect(findInFiles(tollgate.dataDir, secret, 'tg-')).toEqual([])
})

test('GET /v1/keys returns { data: [...] }, revoked keys included', async () => {
  const { id } = await tollgate.createKey({ name: 'gone', scope: 'full' })
  await revoke(id)
  const { json } = await tollgate.call('GET', '/v1/keys')
  expect(Object.keys(json)).toEqual(['data'])
  expect(json.data.map((key: { id: string }) => key.id)).toContain(id)
})

test('PATCH changes name, cap and limits, keeps the rest, clears with null, and returns the metadata', async () => {
  const { id } = await tollgate.createKey({ name: 'before', scope: 'full', spendLimitUsd: 1, rpmLimit: 5 })
  const changed = await patch(id, { name: 'after', spendLimitUsd: 2, tpmLimit: 100 })
  expect(changed.status).toBe(200)
  expect(changed.json).toMatchObject({ id, name: 'after', spendLimitUsd: 2, rpmLimit: 5, tpmLimit: 100 })
  expect((await get(id)).json).toEqual(changed.json)
  expect((await patch(id, { spendLimitUsd: null, rpmLimit: null })).json).toMatchObject({
    name: 'after',
    spendLimitUsd: null,
    rpmLimit: null,
    tpmLimit: 100,
  })
  expect((await patch(id, { spendLimitUsd: -1 })).status).toBe(400)
})

test('DELETE returns 200 with the metadata and revokedAt, also when repeated', async () => {
  const { id } = await tollgate.createKey({ name: 'twice', scope: 'full' })
  const first = await revoke(id)
  const second = await revoke(id)
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.json).toEqual(first.json)
  expect(first.json).toMatchObject({ id, name: 'twice', revokedAt: expect.stringMatching(ISO) })
})

test('An unknown key id is 404 for GET, PATCH and DELETE', async () => {
  for (const answer of [
    await get('key_none'),
    await patch('key_none', { name: 'x' }),
    await revoke('key_none'),
  ]) {
    expect([answer.status, answer.json.error.type]).toEqual([404, 'not_found_error'])
  }
})

test('GET /v1/key returns the calling key and what remains of its cap, for any scope', async () => {
  await upstream.model('brief', says('hi'))
  for (const scope of ['admin', 'full', 'read-only', 'completions-only']) {
    const key = await tollgate.createKey({ name: scope, scope, spendLimitUsd: 1 })
    if (scope !== 'read-only') await tollgate.chat({ model: 'brief' }, { as: key.secret })
    const { status, json } = await tollgate.call('GET', '/v1/key', { as: key.secret })
    expect(status).toBe(200)
    expect(json).toMatchObject({ id: key.id, scope, spendLimitUsd: 1 })
    expect(Math.round(json.remainingUsd * 1e9)).toBe(1e9 - Math.round(json.spendUsd * 1e9))
  }
  const vast = await tollgate.createKey({ name: 'vast', scope: 'full', spendLimitUsd: 1e300 })
  expect((await tollgate.call('GET', '/v1/key', { as: vast.secret })).json.remainingUsd).toBe(1e300)
  const uncapped = await tollgate.createKey({ name: 'uncapped', scope: 'full' })
  expect((await tollgate.call('GET', '/v1/key', { as: uncapped.secret })).json.remainingUsd).toBeNull()
})
