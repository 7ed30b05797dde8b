// The additional listener for containers, over real sockets. 127.0.0.2 stands for the address of Docker's bridge.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it, vi } from 'vitest'
import { type Bridge, findDockerBridge } from '../http/container-listener.ts'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'

const ADDRESS = '127.0.0.2'
const HOST = 'host.docker.internal'

let gateway: TestGateway | undefined
let interfaceDir: string | undefined
afterEach(async () => {
  await gateway?.close()
  if (interfaceDir) rmSync(interfaceDir, { recursive: true, force: true })
  gateway = undefined
})

/** A bridge whose containers have these addresses. */
const createBridge = (...containers: string[]): Bridge => ({
  ...{ kind: 'address', address: ADDRESS },
  isContainer: (address) => containers.includes(address),
})

async function start(bridge = createBridge('127.0.0.1', ADDRESS)): Promise<TestGateway> {
  interfaceDir = mkdtempSync(join(tmpdir(), 'tollgate-interface-'))
  writeFileSync(join(interfaceDir, 'index.html'), 'the interface')
  gateway = await startTestGateway({ findBridge: () => bridge, interfaceDir })
  return gateway
}

const setAccess = (on: boolean) => gateway?.call('PATCH', '/v1/settings', { body: { containerAccess: on } })
const containers = async () => (await gateway?.call('GET', '/v1/gateway'))?.json.containers
const getPort = () => Number(new URL(gateway?.baseUrl ?? '').port)

interface RequestParts {
  path?: string
  host?: string
  key?: string
  address?: string
  headers?: readonly string[]
}

/** The status and body of a GET over one connection; null if it is refused. */
async function send({ path = '/v1/models', host, key, address = ADDRESS, headers = [] }: RequestParts) {
  const port = getPort()
  const socket = connect(port, address)
  try {
    await once(socket, 'connect')
  } catch {
    return null
  }
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${host ?? `${HOST}:${port}`}`,
    ...(key ? [`Authorization: Bearer ${key}`] : []),
    ...headers,
    'Connection: close',
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const answer = await text(socket)
  return { status: Number(answer.split(' ')[1]), body: answer.split('\r\n\r\n').slice(1).join('\r\n\r\n') }
}

it('is off until the user enables it, and stops when it is disabled', async () => {
  await start()
  expect(await send({})).toBeNull()
  expect(await containers()).toEqual({ enabled: false, baseUrl: null, problem: null })

  expect((await setAccess(true))?.status).toBe(200)
  const secret = (await gateway?.createKey({ name: 'c', scope: 'completions-only' }))?.secret ?? ''
  expect(await containers()).toEqual({ enabled: true, baseUrl: `http://${HOST}:${getPort()}`, problem: null })
  expect((await send({ key: secret }))?.status).toBe(200)

  await setAccess(false)
  expect(await send({ key: secret })).toBeNull()
})

it('needs a key that is completions-only or full', async () => {
  await start()
  await setAccess(true)
  expect((await send({}))?.status).toBe(401)
  for (const [scope, status] of [
    ['completions-only', 200],
    ['full', 200],
    ['read-only', 403],
    ['admin', 403],
  ] as const) {
    const created = await gateway?.createKey({ name: scope, scope })
    const answer = await send({ key: created?.secret ?? '' })
    expect([scope, answer?.status]).toEqual([scope, status])
    if (status === 403) expect(answer?.body).toContain('A container cannot use a key')
  }
})

it('serves neither the interface nor what needs an admin key', async () => {
  await start()
  await setAccess(true)
  const { secret } = (await gateway?.createKey({ name: 'Full', scope: 'full' })) ?? {}
  for (const path of ['/', '/keys', '/index.html']) {
    const answer = await send({ path, key: secret ?? '', headers: ['Accept: text/html'] })
    expect([path, answer?.status]).toEqual([path, 404])
  }
  expect((await send({ path: '/v1/settings', key: secret ?? '' }))?.status).toBe(403)
  expect((await send({ path: '/', host: `127.0.0.1:${getPort()}`, address: '127.0.0.1' }))?.body).toContain(
    'the interface',
  )
})

it('accepts only its own names in the Host header, and no web pages', async () => {
  await start()
  await setAccess(true)
  const key = (await gateway?.createKey({ name: 'c', scope: 'full' }))?.secret ?? ''
  const port = getPort()
  for (const [host, status] of [
    [`${HOST}:${port}`, 200],
    [`HOST.docker.internal:${port}`, 200],
    [`${ADDRESS}:${port}`, 200],
    [`127.0.0.1:${port}`, 403],
    [`localhost:${port}`, 403],
    [`${HOST}.evil.example:${port}`, 403],
    [`${HOST}:1`, 403],
    [HOST, 403],
  ] as const) {
    expect([host, (await send({ host, key }))?.status]).toEqual([host, status])
  }
  for (const header of [
    'Origin: https://evil.example',
    `Origin: http://${HOST}:${port}`,
    'Sec-Fetch-Site: cross-site',
  ]) {
    expect([header, (await send({ key, headers: [header] }))?.status]).toEqual([header, 403])
  }
})

it('with Docker Desktop the name works on 127.0.0.1, with the same limits, and only when enabled', async () => {
  await start({ kind: 'forwarded' })
  const key = (await gateway?.createKey({ name: 'c', scope: 'full' }))?.secret ?? ''
  const address = '127.0.0.1'
  expect((await send({ key, address }))?.status).toBe(403)
  await setAccess(true)
  expect((await containers()).baseUrl).toBe(`http://${HOST}:${getPort()}`)
  expect((await send({ key, address }))?.status).toBe(200)
  expect((await send({ key: gateway?.admin ?? '', address }))?.status).toBe(403)
  expect((await send({ path: '/', address, headers: ['Accept: text/html'] }))?.status).toBe(404)
})

it('says why containers cannot reach it', async () => {
  await start({ kind: 'none' })
  await setAccess(true)
  expect(await containers()).toMatchObject({ enabled: true, baseUrl: null })
  expect((await containers()).problem).toContain('docker0 was not found')
  await setAccess(false)
  expect((await containers()).problem).toBeNull()
})

it('a port in use there is reported, and the gateway itself goes on', async () => {
  await start()
  const other = createServer().listen(getPort(), ADDRESS)
  await once(other, 'listening')
  await setAccess(true)
  expect((await containers()).problem).toBe(
    `Port ${getPort()} on Docker’s address ${ADDRESS} is used by another program.`,
  )
  expect((await gateway?.call('GET', '/v1/models'))?.status).toBe(200)
  other.close()
})

it('listens as soon as the bridge is there, and follows the port of the gateway', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    let bridge: Bridge = { kind: 'none' }
    gateway = await startTestGateway({ findBridge: () => bridge })
    await setAccess(true)
    bridge = createBridge('127.0.0.1', ADDRESS)
    vi.advanceTimersByTime(15_000)
    await vi.waitFor(async () => expect((await containers()).problem).toBeNull())
  } finally {
    vi.useRealTimers()
  }
  const { port } = (await gateway.gateway.listen(0)) ?? {}
  const socket = connect(port, ADDRESS)
  await once(socket, 'connect')
  socket.destroy()
})

it('finds the address of docker0, and otherwise what the platform does', () => {
  const docker0 = [
    {
      address: 'fe80::1',
      family: 'IPv6' as const,
      internal: false,
      netmask: '',
      mac: '',
      cidr: null,
      scopeid: 1,
    },
    { address: '172.17.0.1', family: 'IPv4' as const, internal: false, netmask: '', mac: '', cidr: null },
  ]
  expect(findDockerBridge('linux', () => ({ docker0 }))).toMatchObject({
    kind: 'address',
    address: '172.17.0.1',
  })
  expect(findDockerBridge('linux', () => ({}))).toEqual({ kind: 'none' })
  expect(findDockerBridge('darwin', () => ({}))).toEqual({ kind: 'forwarded' })
})

it('knows the containers of all networks of Docker, also of one that is made later, and no other machines', () => {
  const network = (address: string, bits: number) => [
    { address, family: 'IPv4' as const, internal: false, netmask: '', mac: '', cidr: `${address}/${bits}` },
  ]
  const interfaces = {
    docker0: network('172.17.0.1', 16),
    'br-0123456789ab': network('172.18.0.1', 16),
    eth0: network('192.168.1.20', 24),
  }
  const bridge = findDockerBridge('linux', () => interfaces)
  if (bridge.kind !== 'address') throw new Error('The bridge was not found.')
  const remote = ['172.17.0.2', '172.17.0.1', '172.18.3.4', '192.168.1.30', '172.19.0.2', '::1', '']
  expect(remote.filter(bridge.isContainer)).toEqual(['172.17.0.2', '172.17.0.1', '172.18.3.4'])
  Object.assign(interfaces, { 'br-ba9876543210': network('172.19.0.1', 16) })
  expect(bridge.isContainer('172.19.0.2')).toBe(true)
})

it('closes connections of other machines in the local network, which can reach the address of the bridge', async () => {
  await start(createBridge('127.0.0.9'))
  await setAccess(true)
  const socket = connect(getPort(), ADDRESS)
  socket.on('error', () => undefined)
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(await text(socket).catch(() => '')).toBe('')
})
