import { once } from 'node:events'
import { createServer, request as sendRequest } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { StoreError } from '../../gateway/compose/host-api.ts'
import { PortTakenError } from '../../gateway/compose/start-gateway.ts'
import { listen } from '../../gateway/testing/listen.ts'
import type { LiveEvent } from '../../shared/api/events.ts'
import { runInGateway, startTestThread } from './testing/test-thread.ts'

test('the window gets answers and streams of the thread as the owner', async () => {
  const { gateway, call, createKey } = await startTestThread()
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

test('credentials are those of the host, and errors keep the class that it tells them apart by', async () => {
  const secrets = new Map<string, string>()
  const { gateway, dataDir, call } = await startTestThread({
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

  const other = createServer()
  const port = await listen(other)
  onTestFinished(() => void other.close())
  await expect(gateway.listen(port)).rejects.toBeInstanceOf(PortTakenError)
  await gateway.close(0)
  await expect(startTestThread({ dataDir: join(dataDir, 'missing', 'dir') })).rejects.toBeInstanceOf(
    StoreError,
  )
})

test('an answer that is being read ends with the thread that sends it', async () => {
  const { call } = await startTestThread()
  const answer = await call('/v1/events')
  const reading = expect(answer.text()).rejects.toThrow('The gateway has ended.')
  await runInGateway('setImmediate(() => process.exit(1))')
  await reading
})

test('a gateway that fails is reported and started again as it was; after four times it ends the program', async () => {
  const fatal: Error[] = []
  const { gateway, dataDir, crashes, lines, call, createKey } = await startTestThread({
    onFatal: (error) => fatal.push(error),
  })
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

  for (const times of [2, 3, 4]) {
    await call('/v1/keys')
    await runInGateway('setImmediate(() => { throw new Error("made up") })')
    await expect.poll(() => crashes).toHaveLength(times)
  }
  expect(crashes.map(({ kind }) => kind)).toEqual(['gateway', 'gateway', 'gateway', 'error'])
  expect(fatal).toMatchObject([{ message: 'The gateway ended several times.' }])
})
