import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, request as sendRequest } from 'node:http'
import { Session } from 'node:inspector'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { GatewayOptions } from '../../gateway/compose/host-api.ts'
import { createLog, StoreError } from '../../gateway/compose/host-api.ts'
import { PortTakenError } from '../../gateway/compose/start-gateway.ts'
import type { LiveEvent } from '../../shared/api/events.ts'
import { createMemoryCredentials } from '../provider-secrets.ts'
import { startGatewayThread } from './gateway-thread.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'tollgate-thread-'))
})

async function start(
  options: Partial<GatewayOptions> = {},
  times?: Parameters<typeof startGatewayThread>[2],
) {
  const lines: { message: string; err: unknown }[] = []
  const crashes: { kind: string; summary: string; details: string }[] = []
  const log = createLog({ write: (_level, message, { err }) => lines.push({ message, err }) })
  const gateway = await startGatewayThread(
    {
      dataDir,
      version: '0.0.0-test',
      credentials: createMemoryCredentials(),
      log,
      interfaceDir: null,
      createAdminKey: false,
      ...options,
    },
    (crash) => crashes.push(crash),
    times,
  )
  onTestFinished(() => gateway.close(0))
  const call = (path: string, method = 'GET', body?: unknown) =>
    gateway.fetchAsOwner(
      new Request(`app://tollgate${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  const createKey = (name: string) => call('/v1/keys', 'POST', { name, scope: 'full' })
  return { gateway, lines, crashes, call, createKey }
}

/** Runs a script in the gateway's thread, as a debugger does. */
function runInGateway(expression: string): Promise<void> {
  const session = new Session()
  session.connect()
  return new Promise((resolve) => {
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      if (!workerInfo.title.endsWith(' gateway')) return
      const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } })
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
    })
    session.on('NodeWorker.receivedMessageFromWorker', ({ params: { message } }) => {
      if (JSON.parse(message).id !== 1) return
      // It would attach to the next gateway, too.
      session.disconnect()
      resolve()
    })
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  })
}

test('the window gets answers and streams of the thread as the owner', async () => {
  const { gateway, call, createKey } = await start()
  const { baseUrl } = await gateway.listen(0)
  expect((await fetch(`${baseUrl}/v1/keys`)).status).toBe(401)

  const events = (await call('/v1/events')).body?.getReader()
  const read = async () => Buffer.from((await events?.read())?.value ?? []).toString()
  expect(await read()).toBe(': connected\n\n')
  const created = await createKey('Editor')
  expect([created.status, await created.json()]).toMatchObject([201, { name: 'Editor' }])
  expect(await read()).toContain('event: key')
  await events?.cancel()

  const refused = await call('/v1/keys', 'POST', { name: '' })
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'name' } }])
})

test('credentials are those of the host, whose errors the gateway understands', async () => {
  const secrets = new Map<string, string>()
  const { call } = await start({
    credentials: {
      kind: 'keychain',
      get: async (account) => secrets.get(account) ?? null,
      set: async (account, secret) => void secrets.set(account, secret),
      delete: async (account) => void secrets.delete(account),
    },
  })
  const answer = await call('/v1/providers/openai', 'PUT', { credential: 'sk-made-up' })
  expect(answer.status).toBe(200)
  expect([...secrets.values()]).toContain('sk-made-up')
})

test('errors keep the class that the host tells them apart by', async () => {
  const { gateway } = await start()
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  await expect(gateway.listen(port)).rejects.toBeInstanceOf(PortTakenError)
  await gateway.close(0)
  await expect(start({ dataDir: join(dataDir, 'missing', 'dir') })).rejects.toBeInstanceOf(StoreError)
})

test('a gateway that fails is reported and started again on its port and socket, with its subscribers', async () => {
  const { gateway, crashes, lines, call, createKey } = await start()
  const { baseUrl } = await gateway.listen(0)
  const socketPath = join(dataDir, 's.sock')
  await gateway.listenLocally(socketPath)
  const events: LiveEvent[] = []
  gateway.subscribe((event) => events.push(event), ['key'])
  await createKey('First')

  await runInGateway('setImmediate(() => { throw new TypeError("made up") })')
  await expect.poll(() => crashes).toHaveLength(1)
  expect(crashes[0]).toMatchObject({
    kind: 'gateway',
    details: expect.stringMatching(/^TypeError: made up\n +at /),
  })
  expect(lines.map(({ message }) => message)).toContain('The gateway has ended and is started again')

  // A call that comes meanwhile waits for the gateway.
  expect(await (await call('/v1/keys')).json()).toMatchObject({ data: [{ name: 'First' }] })
  expect((await fetch(`${baseUrl}/v1/keys`)).status).toBe(401)
  const overSocket = sendRequest({ socketPath, path: '/v1/keys' }).end()
  const [response] = await once(overSocket, 'response')
  expect(await text(response)).toContain('First')
  events.length = 0
  await createKey('Second')
  await expect.poll(() => events).toMatchObject([{ type: 'key', key: { name: 'Second' } }])
})

test('a gateway that hangs is reported with its stack, and is ended and started again', async () => {
  const { crashes, call } = await start({}, { beatMs: 50, hangMs: 500, recoveryMs: 100 })
  await runInGateway('setImmediate(function runForEver() { for (;;); })')
  await expect.poll(() => crashes.map(({ kind }) => kind)).toEqual(['hang', 'gateway'])
  expect(crashes[0]?.details).toMatch(/^The gateway was in:\n +at runForEver \(/)
  expect((await call('/v1/keys')).status).toBe(200)
})

test('a gateway that goes on after a hang is not ended', async () => {
  const { crashes, call } = await start({}, { beatMs: 50, hangMs: 500, recoveryMs: 60_000 })
  const reported = join(dataDir, 'reported')
  const wait = `while (!process.getBuiltinModule('fs').existsSync(${JSON.stringify(reported)}));`
  await runInGateway(`setImmediate(() => { ${wait} })`)
  await expect.poll(() => crashes.map(({ kind }) => kind)).toEqual(['hang'])
  writeFileSync(reported, '')
  expect((await call('/v1/keys')).status).toBe(200)
  expect(crashes).toHaveLength(1)
})

test('a gateway that fails again and again ends the program', async () => {
  const fatal: Error[] = []
  const { crashes, call } = await start({ onFatal: (error) => fatal.push(error) })
  for (const restarts of [1, 2, 3, 4]) {
    await call('/v1/keys')
    await runInGateway('setImmediate(() => { throw new Error("made up") })')
    await expect.poll(() => crashes).toHaveLength(restarts)
  }
  expect(crashes.map(({ kind }) => kind)).toEqual(['gateway', 'gateway', 'gateway', 'error'])
  expect(fatal).toMatchObject([{ message: 'The gateway ended several times.' }])
})
