import { expect, onTestFinished } from 'vitest'
import { AUTHORITY_FILE, startPrivateProvider } from '../gateway/upstream/testing/private-provider.ts'
import { startHttpProxy } from '../gateway/upstream/testing/test-proxy.ts'
import { startProgram } from './testing/program.ts'
import { testSection } from './testing/rule.ts'

const test = testSection('Upstream calls')

test('With this computer’s network, calls go through the proxy that HTTPS_PROXY names', async () => {
  const provider = await startPrivateProvider()
  const proxy = await startHttpProxy({ toPort: provider.port })
  onTestFinished(() => proxy.close())
  const tollgate = await startProgram({
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    NODE_EXTRA_CA_CERTS: AUTHORITY_FILE,
  })
  onTestFinished(() => tollgate.close())
  await tollgate.call('PATCH', '/v1/settings', { body: { network: 'system' } })
  await tollgate.addProvider('remote', 'https://models.example/v1', ['large'], { credential: 'sk-remote' })
  expect((await tollgate.chat({ model: 'large' })).text).toContain('Hello')
  expect(proxy.tunnels).toEqual(['models.example:443'])
  expect(provider.credentials).toEqual(['Bearer sk-remote'])
})
