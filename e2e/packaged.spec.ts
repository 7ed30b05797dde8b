// The packaged app, as it is shipped. The other tests run the same package with a debugger.
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import keytar from '@github/keytar'
import { expect } from '@playwright/test'
import OpenAI from 'openai'
import { KEYCHAIN_SERVICE } from '../src/host/keychain.ts'
import { KeyCreated } from '../src/shared/api/keys.ts'
import { RequestList } from '../src/shared/api/request-queries.ts'
import { readFuses } from '../src/tooling/package/fuses.ts'
import { installedArguments, shipped, test } from './app.ts'
import { appDir, countWindows, runCommand, spawnShipped, startShipped } from './shipped-app.ts'
import { STREAMING_MODEL, startStreamingServer } from './streaming-server.ts'
import { ANSWER, CREDENTIAL, MODEL, startUpstream } from './upstream.ts'

test.skip(shipped === undefined, 'The app is packaged for tests on Linux only.')

test('the shipped app serves keys of its command, keeps data, and settles what runs when it is quit', async ({
  launcher,
}) => {
  const dataDir = launcher.newDataDir()
  const upstream = await startUpstream()
  const streaming = await startStreamingServer()
  const first = await startShipped(dataDir)
  const made = runCommand(dataDir, 'keys', 'create', 'Smoke', '--scope', 'admin', '--json')
  expect(made.stderr).toBe('')
  const { secret } = KeyCreated.parse(JSON.parse(made.stdout))
  const call = async (baseUrl: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const init = body === undefined ? {} : { method: 'PUT', body: JSON.stringify(body) }
    const response = await fetch(baseUrl + path, { headers, ...init })
    expect(response.status, path).toBeLessThan(300)
    return await response.json()
  }
  const client = (baseUrl: string) => new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: secret, maxRetries: 0 })
  const ask = (model: string, content: string) => ({ model, messages: [{ role: 'user' as const, content }] })

  await test.step('a window, and a second instance', async () => {
    await expect.poll(countWindows).toBe(1)
    const [code] = await once(spawnShipped(installedArguments(dataDir, 0)), 'exit')
    expect(code).toBe(0)
    expect(countWindows()).toBe(1)
  })

  await test.step('the SDK, its cost and the keychain', async () => {
    const { response } = await client(first.baseUrl)
      .chat.completions.create(ask('sandbox-small', 'Hello'))
      .withResponse()
    expect(Number(response.headers.get('x-service-cost-usd'))).toBeGreaterThan(0)
    const server = { apiFormat: 'openai-chat', credential: CREDENTIAL }
    await call(first.baseUrl, '/v1/providers/upstream', { ...server, baseUrl: upstream.baseUrl })
    await call(first.baseUrl, '/v1/providers/streaming', { ...server, baseUrl: streaming.baseUrl })
    const stored = await keytar.findCredentials(KEYCHAIN_SERVICE)
    expect(stored.map(({ password }) => password)).toContain(CREDENTIAL)
  })

  const before = await test.step('quitting under load', async () => {
    const stream = await client(first.baseUrl).chat.completions.create({
      ...ask(`streaming/${STREAMING_MODEL}`, 'sections'),
      stream: true,
    })
    await stream[Symbol.asyncIterator]().next()
    const exited = once(first.process, 'exit')
    first.process.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expect(readdirSync(dataDir)).not.toContain('tollgate.db-wal')
    const second = await startShipped(dataDir)
    return { second, log: RequestList.parse(await call(second.baseUrl, '/v1/requests')) }
  })

  await test.step('a relaunch', async () => {
    const { second, log } = before
    expect(log.data).toHaveLength(2)
    expect(log.data.map(({ status }) => status)).not.toContain('running')
    const answer = await client(second.baseUrl).chat.completions.create(ask(`upstream/${MODEL}`, 'Open up.'))
    expect(answer.choices[0]?.message.content).toBe(ANSWER)
    const spend = runCommand(dataDir, 'spend', '--json')
    expect([spend.status, spend.signal, spend.stderr]).toEqual([0, null, ''])
    second.process.kill('SIGTERM')
    expect(await once(second.process, 'exit')).toEqual([0, null])
    expect(runCommand(dataDir, 'spend').status).toBe(6)
  })
  await upstream.stop()
  streaming.close()
})

test('the shipped app refuses every switch of debuggers, and those that start programs in its place', async ({
  launcher,
}) => {
  const switches = [
    '--remote-debugging-port=0',
    '--remote-debugging-pipe',
    '--remote-allow-origins=*',
    '--inspect=0',
    '--js-flags=--expose-gc',
    '--load-extension=/tmp',
    '--gpu-launcher=/bin/true',
    '--log-net-log=/tmp/net.json',
  ]
  for (const name of switches) {
    const dataDir = launcher.newDataDir()
    const child = spawnShipped([...installedArguments(dataDir, 0), name])
    const [[code], printed] = await Promise.all([once(child, 'exit'), child.stderr ? text(child.stderr) : ''])
    expect([code, printed], name).toEqual([1, expect.stringContaining('Tollgate does not start with --')])
    expect(printed, name).not.toContain('listening on')
    expect(existsSync(dataDir), name).toBe(false)
  }
})

test('the package contains what runs, within its limits of size, and has its fuses', () => {
  expect(readFuses(shipped ?? '')).toEqual([
    'enableCookieEncryption',
    'enableEmbeddedAsarIntegrityValidation',
    'onlyLoadAppFromAsar',
  ])
  expect(readdirSync(join(appDir, 'locales'))).toEqual(['en-US.pak'])
  const resources = join(appDir, 'resources')
  expect(readdirSync(resources)).not.toContain('default_app.asar')
  expect(statSync(join(resources, 'app.asar')).size).toBeLessThan(15_000_000)
  const unpacked = readdirSync(join(resources, 'app.asar.unpacked'), { recursive: true, encoding: 'utf8' })
  expect(
    unpacked
      .filter((path) => path.endsWith('.node'))
      .map((path) => path.split('/').slice(1).join('/'))
      .sort(),
  ).toEqual(['@github/keytar/prebuilds/linux-x64/keytar.node', 'better-sqlite3/prebuilds/linux-x64.node'])
  const needless =
    /\.(map|m?ts|md|markdown|gyp|cc?|h)$|\/(test|tests|docs|bench|benchmark|example)s?\/|default_app/i
  const archived = listArchive(join(resources, 'app.asar'))
  expect(archived).toContain('out/main/index.js')
  expect(archived.filter((path) => needless.test(path) && !/licen[cs]e/i.test(path))).toEqual([])
})

const HEADER_SIZE_AT = 12
const HEADER_AT = 16

/** The files in an asar archive, whose header is a tree of folders in JSON. */
function listArchive(path: string): string[] {
  const bytes = readFileSync(path)
  const header = bytes.toString('utf8', HEADER_AT, HEADER_AT + bytes.readUInt32LE(HEADER_SIZE_AT))
  const list = (node: { files?: object }, at: string): string[] =>
    node.files === undefined
      ? [at]
      : Object.entries(node.files).flatMap(([name, child]) => list(child, at === '' ? name : `${at}/${name}`))
  return list(JSON.parse(header), '')
}
