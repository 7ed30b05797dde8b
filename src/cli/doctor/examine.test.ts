import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { listen } from '../../gateway/testing/listen.ts'
import { writePreferences } from '../../host/preferences.ts'
import { startCommandHost } from '../testing/command-host.ts'
import { examine } from './examine.ts'

const command = await forFile(startCommandHost())

async function check(name: string) {
  const checks = await examine(command.host.dataDir, { calls: false })
  return checks.find((each) => each.name === name)
}

const HOUR_MS = 3_600_000

test('the clock is compared with that of the provider that answered last, without a call of its own', async () => {
  let calls = 0
  const server = createServer((_request, response) => {
    calls++
    const date = new Date(Date.now() - HOUR_MS).toUTCString()
    response.writeHead(200, { date, 'content-type': 'application/json' }).end('{"object":"list","data":[]}')
  })
  const port = await listen(server)
  const { client } = command
  expect(await check('Clock')).toMatchObject({ state: 'ok' })
  await client.call('putProvider', {
    params: { id: 'acme' },
    body: { apiFormat: 'openai-chat', baseUrl: `http://127.0.0.1:${port}`, credential: 'x' },
  })
  await client.call('testProvider', { params: { id: 'acme' } })
  const before = calls
  expect(await check('Clock')).toMatchObject({
    state: 'warning',
    found: expect.stringMatching(/^(59 min|1 h).* ahead of the provider that answered last$/),
    advice: expect.stringContaining('Set the clock'),
  })
  expect(calls).toBe(before)
  await client.call('deleteProvider', { params: { id: 'acme' } })
  server.close()
})

test('a crash, an update and a damaged database need attention', async () => {
  const { dataDir, run } = command.host
  expect(await check('Last runs')).toMatchObject({ state: 'ok' })
  run.record({ kind: 'gateway', summary: 'Tollgate did not respond.', details: '' })
  expect(await check('Last runs')).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('did not respond'),
    advice: expect.stringContaining(join(dataDir, 'crashes')),
  })
  const at = new Date().toISOString()
  writePreferences(dataDir, { updateCheck: { at, version: '99.0.0', problem: null } })
  expect(await check('Updates')).toMatchObject({ state: 'warning', found: '99.0.0 is available' })
  writePreferences(dataDir, { updateCheck: { at, version: null, problem: 'The server is down.' } })
  expect(await check('Updates')).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('is down'),
  })
  writePreferences(dataDir, { updates: 'off' })
  expect(await check('Updates')).toMatchObject({ state: 'ok' })
  expect(await check('Database')).toMatchObject({ state: 'ok' })
  writeFileSync(join(dataDir, 'check-at-start'), '')
  expect(await check('Database')).toMatchObject({ state: 'failed' })
})

test('a proxy is shown without its password; one that does not answer needs attention once it is used', async () => {
  const { client } = command
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await client.call('updateSettings', { body: { network: 'direct' } })
    await client.call('deleteProvider', { params: { id: 'remote' } })
  })
  for (const name of ['https_proxy', 'all_proxy', 'no_proxy', 'NO_PROXY']) vi.stubEnv(name, '')
  vi.stubEnv('HTTPS_PROXY', '')
  await client.call('putProvider', {
    params: { id: 'remote' },
    body: { apiFormat: 'openai-chat', baseUrl: 'https://models.example/v1', credential: 'x' },
  })
  expect(await check('Network')).toMatchObject({ state: 'ok', found: 'direct, without a proxy' })
  vi.stubEnv('HTTPS_PROXY', 'http://ann:secret@127.0.0.1:1')
  expect(await check('Network')).toMatchObject({
    state: 'ok',
    found: 'direct; a proxy is not used: http://127.0.0.1:1 (HTTPS_PROXY)',
  })
  await client.call('updateSettings', { body: { network: 'system' } })
  expect(await check('Network')).toMatchObject({
    state: 'failed',
    found: 'http://127.0.0.1:1: The proxy refused the connection. Check its address: HTTPS_PROXY.',
  })
})
