import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { tempDirForFile } from '../gateway/testing/temp-dir.ts'
import { type RunningProgram, serve } from './testing/program.ts'
import { testSection } from './testing/rule.ts'
import { sendRaw } from './testing/socket.ts'

const test = testSection('Listening')

/** An address of this machine that is not one of those of the usual listeners: what a published port of a container is. */
const OTHER = '127.0.0.2'
/** Generous, for a busy machine. */
const START_MS = 60_000

const folder = tempDirForFile()
let program: RunningProgram
let baseUrl = ''
let port = ''
let adminKey = ''
beforeAll(async () => {
  const names = ['--allow-host', 'tollgate,gw.example:9000', '--allow-host', 'other.example']
  const flags = ['--port', '0', '--data-dir', join(folder, 'data'), '--credentials', 'memory']
  program = serve([...flags, '--listen', '0.0.0.0', ...names])
  const ready = await program.ready
  baseUrl = ready.baseUrl
  port = new URL(baseUrl).port
  adminKey = ready.adminKey ?? ''
}, START_MS)
afterAll(async () => {
  program.child.kill('SIGTERM')
  await program.ended
}, START_MS)

const send = (host: string, { key = adminKey, path = '/v1/keys', headers = [] as string[] } = {}) =>
  sendRaw(
    baseUrl,
    [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...(key ? [`Authorization: Bearer ${key}`] : []), ...headers],
    '',
    OTHER,
  )

test('--listen adds an address, where every request still needs a key', async () => {
  expect((await send(`${OTHER}:${port}`, { key: '' })).status).toBe(401)
  expect((await send(`${OTHER}:${port}`)).status).toBe(200)
  // The port of a container is published on 127.0.0.1 of the computer.
  expect((await send(`127.0.0.1:${port}`)).status).toBe(200)
  expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200)
})

test('--allow-host adds exact names of the Host header; any other still gets 403', async () => {
  for (const host of [`tollgate:${port}`, 'tollgate', 'TOLLGATE', 'gw.example:9000', 'other.example']) {
    expect([host, (await send(host)).status]).toEqual([host, 200])
  }
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'gw.example',
    `127.0.0.3:${port}`,
    'x.tollgate',
  ]) {
    const answer = await send(host)
    expect([host, answer.status]).toEqual([host, 403])
    expect(answer.body).toContain('--allow-host')
  }
})

test('Web pages of an allowed name may call the gateway, and of no other', async () => {
  for (const [origin, status] of [
    ['https://other.example', 200],
    ['http://other.example', 200],
    ['https://evil.example', 403],
    ['https://other.example.evil.example', 403],
  ] as const) {
    const answer = await send('other.example', { headers: [`Origin: ${origin}`] })
    expect([origin, answer.status]).toEqual([origin, status])
  }
})

test('It says at the start that other computers can connect', async () => {
  const again = serve(['--port', '0', '--data-dir', join(folder, 'again'), '--listen', OTHER])
  await again.ready
  again.child.kill('SIGTERM')
  expect((await again.ended).stderr).toMatch(
    /every computer that reaches this address can connect.*still needs a key/,
  )
})
