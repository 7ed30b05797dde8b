import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { readData, testClient } from '../gateway/testing/gateway.ts'
import { ReadyLine } from '../gateway/testing/program.ts'
import { tempDirForFile } from '../gateway/testing/temp-dir.ts'
import { testChunk } from '../gateway/upstream/testing/test-upstream.ts'
import { serve, startProgram } from './testing/program.ts'
import { testSlowSection } from './testing/rule.ts'
import { LOOPBACKS, lateRequest, sendRaw } from './testing/socket.ts'
import { neverResponds, startScriptedUpstream } from './testing/upstream.ts'

const test = testSlowSection('Headless')

const folder = tempDirForFile()

const MEMORY = ['--credentials', 'memory']
// `expect.poll` cannot be used in concurrent tests.
const SOON = { timeout: 15_000 }

test('serve prints exactly one JSON line when it is ready, and logs to stderr', async () => {
  const dataDir = join(folder, 'one-line')
  const { child, ready, ended } = serve(['--port', '0', '--data-dir', dataDir, ...MEMORY])
  const readyLine = await ready
  expect(readyLine).toMatchObject({ dataDir, baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) })
  child.kill('SIGTERM')
  const { code, stdout, stderr } = await ended
  expect(code).toBe(0)
  expect(stdout.split('\n').filter((line) => line !== '')).toHaveLength(1)
  expect(ReadyLine.parse(JSON.parse(stdout))).toEqual(readyLine)
  expect(stderr).toContain(readyLine.baseUrl)
})

test('The admin key is printed on the first start of an empty data dir, and never again', async () => {
  const flags = ['--port', '0', '--data-dir', join(folder, 'first'), ...MEMORY]
  const first = serve(flags)
  const { adminKey } = await first.ready
  expect(adminKey).toMatch(/^tg-[A-Za-z0-9_-]{43}$/)
  first.child.kill('SIGTERM')
  expect((await first.ended).stderr).not.toContain('tg-')
  const second = serve(flags)
  expect(await second.ready).not.toHaveProperty('adminKey')
  const { baseUrl } = await second.ready
  expect((await testClient(baseUrl, adminKey ?? '').call('GET', '/v1/keys')).status).toBe(200)
  second.child.kill('SIGINT')
  expect((await second.ended).code).toBe(0)
})

test('TOLLGATE_DATA_DIR sets the data dir; --data-dir overrides it', async () => {
  const env = { TOLLGATE_DATA_DIR: join(folder, 'from-env') }
  for (const [flags, expected] of [
    [[], env.TOLLGATE_DATA_DIR],
    [['--data-dir', join(folder, 'from-flag')], join(folder, 'from-flag')],
  ] as const) {
    const { child, ready, ended } = serve(['--port', '0', ...flags, ...MEMORY], env)
    expect((await ready).dataDir).toBe(expected)
    child.kill('SIGTERM')
    await ended
  }
})

test('SIGTERM ends within seconds even if a client does not read its stream', async () => {
  const tollgate = await startProgram()
  const upstream = await startScriptedUpstream(tollgate)
  await upstream.model('floods', (exchange) => {
    exchange.begin()
    for (let i = 0; i < 200; i++) exchange.data(testChunk({ content: 'x'.repeat(64 * 1024) }))
  })
  const body = JSON.stringify({
    model: 'floods',
    stream: true,
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const { host, port } = new URL(tollgate.baseUrl)
  const unread = connect(Number(port), '127.0.0.1')
  unread.on('error', () => undefined)
  unread.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${tollgate.admin}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await once(unread, 'readable')
  const began = performance.now()
  const { code } = await tollgate.terminate()
  expect(code).toBe(0)
  expect(performance.now() - began).toBeLessThan(30_000)
  unread.destroy()
  await upstream.close()
  rmSync(tollgate.dataDir, { recursive: true })
})

test('A port in use is an error with a suggestion, never another port', async () => {
  for (const host of LOOPBACKS) {
    const squatter = createServer().listen(0, host)
    await once(squatter, 'listening')
    const address = squatter.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const { code, stdout, stderr } = await serve([
      '--port',
      port,
      '--data-dir',
      join(folder, 'port'),
      ...MEMORY,
    ]).ended
    squatter.close()
    expect(code).toBe(4)
    expect(stdout).toBe('')
    expect(stderr).toContain(port)
    expect(stderr).toContain('--port')
  }
})

test('One process per data dir: a second one names the first and exits', async () => {
  const first = await startProgram()
  const { code, stdout, stderr } = await serve(['--port', '0', '--data-dir', first.dataDir, ...MEMORY]).ended
  expect([code, stdout]).toEqual([3, ''])
  expect(stderr).toContain(String(first.pid))
  expect(stderr).toContain(first.baseUrl)
  expect((await first.call('GET', '/healthz')).status).toBe(200)
  await first.close()
})

test('A data dir can be reused after its process was killed', async () => {
  const program = await startProgram()
  await program.kill()
  await program.start()
  expect((await program.call('GET', '/v1/keys')).status).toBe(200)
  await program.close()
})

test('After SIGTERM running requests finish, new ones get 503, and the exit code is 0', async () => {
  const tollgate = await startProgram()
  // The first read starts a thread, which can take longer than the answer below.
  expect(await tollgate.records()).toEqual([])
  const answer = tollgate.chat({ messages: [{ role: 'user', content: '[[sandbox:slow 800]] Hello' }] })
  await vi.waitFor(async () => expect((await tollgate.records())[0]?.status).toBe('running'), SOON)
  const health = await sendRaw(tollgate.baseUrl, [
    'GET /healthz HTTP/1.1',
    `Host: ${new URL(tollgate.baseUrl).host}`,
  ])
  expect(health.status).toBe(200)
  const keptOpen = lateRequest(tollgate.baseUrl, tollgate.admin)
  await keptOpen.connected
  const ended = tollgate.terminate()
  await vi.waitFor(async () => expect(await keptOpen.refused()).toBe(true), SOON)
  expect(await keptOpen.finish()).toMatch(/^HTTP\/1\.1 503 [\s\S]*"code":"shutting_down"/)
  expect((await answer).status).toBe(200)
  expect((await ended).code).toBe(0)
  rmSync(tollgate.dataDir, { recursive: true })
})

test('A stream that runs 5 s after SIGTERM gets an error chunk and is settled; the exit code is 0', async () => {
  const tollgate = await startProgram()
  const upstream = await startScriptedUpstream(tollgate)
  const quiet = neverResponds()
  await upstream.model('quiet', quiet.handler)
  await upstream.model('endless', (exchange) => {
    exchange.begin().data({ choices: [{ index: 0, delta: { content: 'some words' }, finish_reason: null }] })
  })
  const streamed = tollgate.chat({ model: 'endless', stream: true })
  const plain = tollgate.chat({ model: 'quiet' })
  await quiet.received
  await vi.waitFor(async () => expect(await tollgate.records()).toHaveLength(2), SOON)
  const began = performance.now()
  const { code } = await tollgate.terminate()
  expect(code).toBe(0)
  expect(performance.now() - began).toBeGreaterThan(4_500)
  expect(performance.now() - began).toBeLessThan(30_000)
  const events = readData((await streamed).text)
  expect(events).not.toContain('[DONE]')
  expect(events.at(-1)).toMatchObject({ error: { type: 'server_error', code: 'shutting_down' } })
  expect((await plain).status).toBe(503)
  await tollgate.start()
  const records = await tollgate.records()
  expect(records.map(({ status }) => status)).toEqual(['failed', 'failed'])
  expect(records.find(({ stream }) => stream)).toMatchObject({ costStatus: 'estimated', tokensOut: 3 })
  await tollgate.close()
  await upstream.close()
})

test('A client that listens to events does not delay SIGTERM', async () => {
  const tollgate = await startProgram()
  const events = tollgate.call('GET', '/v1/events')
  await vi.waitFor(
    async () => expect((await tollgate.call('GET', '/v1/key')).json.lastUsedAt).not.toBeNull(),
    SOON,
  )
  const began = performance.now()
  expect((await tollgate.terminate()).code).toBe(0)
  expect(performance.now() - began).toBeLessThan(4_500)
  expect((await events).text).toContain('shutting_down')
  rmSync(tollgate.dataDir, { recursive: true })
})
