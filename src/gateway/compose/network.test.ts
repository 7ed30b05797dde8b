import { expect, onTestFinished, test } from 'vitest'
import { findInFiles } from '../testing/find-in-files.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { startHttpProxy } from '../upstream/testing/test-proxy.ts'

const PASSWORD = 'canary-password-4711'

async function start({ findProxy }: { findProxy: () => { url: string; source: string } | null }) {
  const gateway = await startTestGateway({
    systemNetwork: {
      findProxy: async () => findProxy(),
      readCertificates: () => ({ pem: [], problem: 'Some could not be read.' }),
    },
  })
  onTestFinished(() => gateway.close())
  await gateway.addProvider('remote', 'https://models.example/v1', [])
  return gateway
}

test('the setting and the field of a provider decide whether the proxy is used, and its password stays in memory', async () => {
  const proxy = await startHttpProxy({ toPort: 1, refusal: { status: 403 } })
  onTestFinished(() => proxy.close())
  const url = `http://ann:${PASSWORD}@127.0.0.1:${proxy.port}`
  const gateway = await start({ findProxy: () => ({ url, source: 'HTTPS_PROXY' }) })
  const { call } = gateway
  const testProvider = async () => (await call('POST', '/v1/providers/remote/test')).json.error
  const network = async () => (await call('GET', '/v1/network')).json
  const address = `http://127.0.0.1:${proxy.port}`
  expect(await network()).toEqual({
    isUsed: false,
    proxies: [{ address, source: 'HTTPS_PROXY', problem: null }],
    certificateProblem: null,
  })
  expect(await testProvider()).toContain('HTTPS_PROXY names a proxy, which is not used.')

  await call('PATCH', '/v1/settings', { body: { network: 'system' } })
  expect(await network()).toEqual({
    isUsed: true,
    proxies: [{ address, source: 'HTTPS_PROXY', problem: null }],
    certificateProblem: 'Some could not be read.',
  })
  expect(await testProvider()).toContain('The proxy does not allow a connection to the provider (403)')

  await call('PUT', '/v1/providers/remote', { body: { network: 'direct' } })
  expect(await testProvider()).not.toContain('(403)')
  await call('PATCH', '/v1/settings', { body: { network: 'direct' } })
  await call('PUT', '/v1/providers/remote', { body: { network: 'system' } })
  await gateway.restart()
  expect((await gateway.call('GET', '/v1/network')).json.isUsed).toBe(true)
  const answers = ['/v1/providers', '/v1/settings', '/v1/network', '/v1/requests'].map((path) =>
    gateway.call('GET', path),
  )
  for (const { text } of await Promise.all(answers)) expect(text).not.toContain(PASSWORD)
  expect(findInFiles(gateway.dataDir, PASSWORD)).toEqual([])
})

test('a proxy that does not answer, and one of an unknown kind, are problems once they are used', async () => {
  let url = 'http://127.0.0.1:1'
  const { call } = await start({ findProxy: () => ({ url, source: 'HTTPS_PROXY' }) })
  await call('PUT', '/v1/providers/remote', { body: { network: 'system' } })
  const problem = async () => (await call('GET', '/v1/network')).json.proxies[0].problem
  expect(await problem()).toContain('The proxy refused the connection.')
  url = 'gopher://proxy.example'
  expect(await problem()).toContain('a kind that Tollgate does not support (gopher)')
  url = 'http://[nonsense'
  expect(await problem()).toBe('HTTPS_PROXY is not the URL of a proxy.')
})

test('the sandbox has no network of its own, and others only those that exist', async () => {
  const { call } = await start({ findProxy: () => null })
  const put = (id: string, network: unknown) => call('PUT', `/v1/providers/${id}`, { body: { network } })
  expect((await put('sandbox', 'system')).json.error).toMatchObject({ param: 'network' })
  expect((await put('remote', 'vpn')).status).toBe(400)
  expect((await put('remote', 'system')).json.network).toBe('system')
  expect((await put('remote', null)).json.network).toBeNull()
})
