import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { readHolder } from '../gateway/compose/host-api.ts'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'
import { findSocket, LocalSocketError } from './find-socket.ts'
import { GatewayClient, NotRunningError, RefusedCallError } from './gateway-client.ts'
import { chooseSocketPath } from './local-socket.ts'
import { createHostLog } from './log.ts'
import type { Host } from './start.ts'
import { startTestHost } from './testing/test-host.ts'

let dir = ''
let logged: string[] = []
beforeEach(() => {
  dir = tempDirForTest()
  logged = []
})

async function start(dataDir: string): Promise<Host> {
  const log = createHostLog((line) => logged.push(line))
  const host = await startTestHost({ dataDir, log })
  onTestFinished(async () => {
    await host.close()
    await log.close()
  })
  return host
}

const getMode = (path: string) => statSync(path).mode & 0o777

test('only this user can open the socket, whose requests need no key; those over TCP still do', async () => {
  const host = await start(join(dir, 'data'))
  const { baseUrl } = await host.listen(0)
  const client = new GatewayClient(host.dataDir)
  const socket = join(host.dataDir, 'tollgate.sock')
  expect([getMode(socket), getMode(host.dataDir)]).toEqual([0o600, 0o700])

  const { id } = await client.call('createKey', { body: { name: 'By socket', scope: 'completions-only' } })
  expect((await client.call('listKeys')).data).toMatchObject([{ id, name: 'By socket' }])
  const events = await client.events(AbortSignal.timeout(5_000))
  await client.call('updateKey', { params: { id }, body: { spendLimitUsd: 2 } })
  for await (const event of events) {
    if (event.type !== 'key') continue
    expect(event.key.spendLimitUsd).toBe(2)
    break
  }
  const refused = client.call('getKey', { params: { id: 'key_none' } })
  await expect(refused).rejects.toThrow(RefusedCallError)
  for (const headers of [{}, { host: 'localhost' }, { 'x-tollgate-bill-to': 'playground' }]) {
    expect((await fetch(`${baseUrl}/v1/keys`, { headers })).status).toBe(401)
  }

  // Another port, or none, does not concern the socket.
  await host.gateway.stopListening()
  expect((await client.call('listKeys')).data).toHaveLength(1)
  await host.close()
  expect(existsSync(socket)).toBe(false)
  await expect(client.call('listKeys')).rejects.toThrow(NotRunningError)
})

test('the socket that a crash has left is replaced; another file of that name is not', async () => {
  const dataDir = join(dir, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(join(dataDir, 'lock.db-stale'), resolve))
  renameSync(join(dataDir, 'lock.db-stale'), join(dataDir, 'tollgate.sock'))
  await new Promise((resolve) => server.close(resolve))
  const client = new GatewayClient(dataDir)
  await expect(client.call('listKeys')).rejects.toThrow(NotRunningError)

  const host = await start(dataDir)
  expect((await client.call('listKeys')).data).toEqual([])
  await host.close()
  writeFileSync(join(dataDir, 'tollgate.sock'), 'mine')
  await start(dataDir)
  expect(statSync(join(dataDir, 'tollgate.sock')).isFile()).toBe(true)
  expect(logged.join('\n')).toContain('is not a socket')
})

test('a data folder with a long path has its socket in the runtime folder of the user', async () => {
  vi.stubEnv('XDG_RUNTIME_DIR', join(dir, 'run'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const host = await start(join(dir, 'a-long-name'.repeat(12)))
  const socket = String(readHolder(host.dataDir)?.socket)
  expect(dirname(socket)).toBe(join(dir, 'run', 'tollgate'))
  expect([getMode(socket), getMode(dirname(socket))]).toEqual([0o600, 0o700])
  // The client may run in another session, with another runtime folder.
  vi.stubEnv('XDG_RUNTIME_DIR', undefined)
  expect((await new GatewayClient(host.dataDir).call('listKeys')).data).toEqual([])

  const noRuntime = { platform: 'linux', env: {}, temp: '/tmp' } as const
  expect(chooseSocketPath(host.dataDir, noRuntime)).toMatch(/^\/tmp\/tollgate-\d+\/[0-9a-f]{16}\.sock$/)
  const windows = { platform: 'win32', env: {}, temp: 'C:\\Temp' } as const
  expect(chooseSocketPath('C:\\data', windows)).toMatch(/^\\\\\.\\pipe\\tollgate-[0-9a-f]{32}$/)
})

test('a socket in a folder that others can write is not used', async () => {
  const host = await start(join(dir, 'data'))
  expect(findSocket(host.dataDir)).not.toBeNull()
  chmodSync(host.dataDir, 0o777)
  expect(() => findSocket(host.dataDir)).toThrow(LocalSocketError)
})

test('on Windows, the pipe that a gateway named before it crashed is not used', () => {
  const dataDir = tempDirForTest()
  const socket = '\\\\.\\pipe\\tollgate-0'
  const { pid } = spawnSync(process.execPath, ['--version'])
  for (const [holder, found] of [
    [pid, null],
    [process.pid, socket],
  ]) {
    writeFileSync(join(dataDir, 'lock.json'), JSON.stringify({ pid: holder, socket }))
    expect(findSocket(dataDir, 'win32')).toBe(found)
  }
})
