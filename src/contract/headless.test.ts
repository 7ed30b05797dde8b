import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { readData, testClient } from '../gateway/testing/gateway.ts'
import { forFile } from '../gateway/testing/lifetime.ts'
import { ReadyLine } from '../gateway/testing/program.ts'
import { tempDirForFile } from '../gateway/testing/temp-dir.ts'
import { testChunk } from '../gateway/upstream/testing/test-upstream.ts'
import { serve, shareProgram, startProgram } from './testing/program.ts'
import { chatLines } from './testing/raw-chat.ts'
import { testSection } from './testing/rule.ts'
import { LOOPBACKS, lateRequest } from './testing/socket.ts'
import { neverResponds, says, startScriptedUpstream } from './testing/upstream.ts'

const test = testSection('Headless')

const folder = tempDirForFile()

const MEMORY = ['--credentials', 'memory']

/** Two starts on one data dir, which is named by the variable first, and then by the flag. */
async function startTwice() {
  const dataDir = join(folder, 'data')
  const first = serve(['--port', '0', ...MEMORY], { TOLLGATE_DATA_DIR: dataDir })
  const firstReady = await first.ready
  first.child.kill('SIGTERM')
  const firstEnd = await first.ended
  const other = { TOLLGATE_DATA_DIR: join(folder, 'other') }
  const second = serve(['--port', '0', '--data-dir', dataDir, ...MEMORY], other)
  const secondReady = await second.ready
  const keys = await testClient(secondReady.baseUrl, firstReady.adminKey ?? '').call('GET', '/v1/keys')
  second.child.kill('SIGINT')
  return { dataDir, firstReady, firstEnd, secondReady, keys, secondEnd: await second.ended }
}

const tollgate = await forFile(startProgram())

/** Terminates the program while requests of every kind run, two of which do not end by themselves. */
async function terminateWhileBusy() {
  const upstream = await forFile(startScriptedUpstream(tollgate))
  const quiet = neverResponds()
  const begun = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  await upstream.model('quiet', quiet.handler)
  await upstream.model('endless', (exchange) => {
    exchange.begin().data(testChunk({ content: 'some words' }))
  })
  await upstream.model('floods', (exchange) => {
    exchange.begin()
    for (let i = 0; i < 200; i++) exchange.data(testChunk({ content: 'x'.repeat(64 * 1024) }))
  })
  await upstream.model('ends', async (exchange, nth) => {
    begun.resolve()
    await mayEnd.promise
    await says('The end')(exchange, nth)
  })

  let isStreaming = true
  const streamed = tollgate.chat({ model: 'endless', stream: true }).finally(() => {
    isStreaming = false
  })
  const plain = tollgate.chat({ model: 'quiet' })
  const ending = tollgate.chat({ model: 'ends' })
  await Promise.all([quiet.received, begun.promise])
  const [lines, body] = chatLines(tollgate, { model: 'floods', stream: true })
  const unread = connect(Number(new URL(tollgate.baseUrl).port), '127.0.0.1')
  unread.on('error', () => undefined)
  unread.write([...lines, '', body].join('\r\n'))
  await once(unread, 'readable')
  const subscribed = await fetch(`${tollgate.baseUrl}/v1/events`, {
    headers: { authorization: `Bearer ${tollgate.admin}` },
  })
  await vi.waitFor(async () => expect(await tollgate.records()).toHaveLength(4))
  const keptOpen = lateRequest(tollgate.baseUrl, tollgate.admin)
  await keptOpen.connected

  const began = performance.now()
  const ended = tollgate.terminate()
  const events = await subscribed.text()
  await vi.waitFor(async () => expect(await keptOpen.refused()).toBe(true))
  const late = await keptOpen.finish()
  mayEnd.resolve()
  const finished = await ending
  const stillRuns = isStreaming
  const { code } = await ended
  const ms = performance.now() - began
  unread.destroy()
  return { events, late, finished, stillRuns, code, ms, streamed: await streamed, plain: await plain }
}

const [starts, shutdown] = await Promise.all([startTwice(), terminateWhileBusy()])

test('serve prints exactly one JSON line when it is ready, and logs to stderr', () => {
  const { firstReady, firstEnd } = starts
  expect(firstReady.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const { code, stdout, stderr } = firstEnd
  expect(code).toBe(0)
  expect(stdout.split('\n').filter((line) => line !== '')).toHaveLength(1)
  expect(ReadyLine.parse(JSON.parse(stdout))).toEqual(firstReady)
  expect(stderr).toContain(firstReady.baseUrl)
})

test('The admin key is printed on the first start of an empty data dir, and never again', () => {
  const { firstReady, firstEnd, secondReady, keys, secondEnd } = starts
  expect(firstReady.adminKey).toMatch(/^tg-[A-Za-z0-9_-]{43}$/)
  expect(firstEnd.stderr).not.toContain('tg-')
  expect(secondReady).not.toHaveProperty('adminKey')
  expect(keys.status).toBe(200)
  expect(secondEnd.code).toBe(0)
})

test('TOLLGATE_DATA_DIR sets the data dir; --data-dir overrides it', () => {
  const { dataDir, firstReady, secondReady } = starts
  expect([firstReady.dataDir, secondReady.dataDir]).toEqual([dataDir, dataDir])
})

test('A port in use is an error with a suggestion, never another port', async () => {
  for (const host of LOOPBACKS) {
    const squatter = createServer().listen(0, host)
    await once(squatter, 'listening')
    const address = squatter.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const flags = ['--port', port, '--data-dir', join(folder, 'port'), ...MEMORY]
    const { code, stdout, stderr } = await serve(flags).ended
    squatter.close()
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain(port)
    expect(stderr).toContain('--port')
  }
})

test('One process per data dir: a second one names the first and exits', async () => {
  const first = await shareProgram()
  const { code, stdout, stderr } = await serve(['--port', '0', '--data-dir', first.dataDir, ...MEMORY]).ended
  expect([code, stdout]).toEqual([3, ''])
  expect(stderr).toContain(String(first.pid))
  expect(stderr).toContain(first.baseUrl)
  expect((await first.call('GET', '/healthz')).status).toBe(200)
})

test('After SIGTERM running requests finish, new ones get 503, and the exit code is 0', () => {
  expect(shutdown.late).toMatch(/^HTTP\/1\.1 503 [\s\S]*"code":"shutting_down"/)
  expect(shutdown.finished.json.choices[0].message.content).toBe('The end')
  expect(shutdown.code).toBe(0)
})

test('A client that listens to events does not delay SIGTERM', () => {
  // Its stream ended first: another one ran on.
  expect(shutdown.events).toContain('shutting_down')
  expect(shutdown.stillRuns).toBe(true)
})

test('SIGTERM ends within seconds even if a client does not read its stream', () => {
  expect(shutdown.ms).toBeLessThan(30_000)
})

test('A stream that runs 5 s after SIGTERM gets an error chunk and is settled; the exit code is 0', async () => {
  expect(shutdown.ms).toBeGreaterThan(4_500)
  const events = readData(shutdown.streamed.text)
  expect(events).not.toContain('[DONE]')
  expect(events.at(-1)).toMatchObject({ error: { type: 'server_error', code: 'shutting_down' } })
  expect(shutdown.plain.status).toBe(503)
  await tollgate.start()
  const records = await tollgate.records()
  const find = (model: string) => records.find(({ requestedModel }) => requestedModel === model)
  expect(find('quiet')).toMatchObject({ status: 'failed' })
  expect(find('endless')).toMatchObject({ status: 'failed', costStatus: 'estimated', tokensOut: 3 })
})

test('A data dir can be reused after its process was killed', async () => {
  await tollgate.kill()
  await tollgate.start()
  expect((await tollgate.call('GET', '/v1/keys')).status).toBe(200)
})
