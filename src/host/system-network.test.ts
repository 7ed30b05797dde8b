import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'
import { systemNetwork } from './system-network.ts'

const PROXY = 'http://user:secret@proxy.example:3128'

test.each([
  [{ HTTPS_PROXY: PROXY }, 'https://api.example', PROXY],
  [{ https_proxy: PROXY, HTTPS_PROXY: 'http://other' }, 'https://api.example', PROXY],
  [{ HTTPS_PROXY: 'proxy.example:3128' }, 'https://api.example', 'http://proxy.example:3128'],
  [{ ALL_PROXY: 'socks5://proxy.example' }, 'https://api.example', 'socks5://proxy.example'],
  [{ HTTP_PROXY: PROXY }, 'https://api.example', null],
  [{ HTTP_PROXY: PROXY }, 'http://api.example', PROXY],
  [{ HTTPS_PROXY: ' ' }, 'https://api.example', null],
  [{}, 'https://api.example', null],
])('%j: %s goes through %s', async (environment, origin, url) => {
  expect((await systemNetwork(environment).findProxy(origin))?.url ?? null).toBe(url)
})

test.each([
  ['*', 'https://api.example', true],
  ['api.example', 'https://api.example', true],
  ['example', 'https://api.example', true],
  ['.example', 'https://api.example', true],
  ['*.example', 'https://api.example', true],
  ['pi.example', 'https://api.example', false],
  ['other.example, API.example', 'https://api.example', true],
  ['api.example:8443', 'https://api.example:8443', true],
  ['api.example:8443', 'https://api.example', false],
  ['api.example:443', 'https://api.example', true],
  ['203.0.113.0/24', 'https://203.0.113.9', true],
  ['203.0.113.0/24', 'https://203.0.114.9', false],
  ['2001:db8::/32', 'https://[2001:db8::7]', true],
  ['2001:db8::7', 'https://[2001:db8::7]', true],
  ['[2001:db8::7]:443', 'https://[2001:db8::7]', true],
  ['203.0.113.0/99, /8, nonsense/x', 'https://203.0.113.9', false],
])('NO_PROXY "%s" excludes %s: %s', async (list, origin, isExcluded) => {
  const network = systemNetwork({ HTTPS_PROXY: PROXY, NO_PROXY: list }, async () => 'PROXY other:1')
  expect(await network.findProxy(origin)).toEqual(isExcluded ? null : { url: PROXY, source: 'HTTPS_PROXY' })
})

test.each([
  ['DIRECT', null],
  ['PROXY proxy.example:3128; DIRECT', 'http://proxy.example:3128'],
  ['HTTPS proxy.example:443', 'https://proxy.example:443'],
  ['SOCKS5 proxy.example:1080', 'socks5://proxy.example:1080'],
  ['SOCKS proxy.example:1080', 'socks4://proxy.example:1080'],
])('the settings of a desktop, where the environment names no proxy: %s', async (list, url) => {
  const network = systemNetwork({ NO_PROXY: 'other.example' }, async () => list)
  expect((await network.findProxy('https://api.example'))?.url ?? null).toBe(url)
  expect(await network.findProxy('https://other.example')).toBeNull()
})

test('a file of NODE_EXTRA_CA_CERTS that has no certificate is a problem, and the others stay trusted', () => {
  const folder = tempDirForTest()
  const path = join(folder, 'ca.pem')
  writeFileSync(path, 'nonsense')
  const { pem, problem } = systemNetwork({ NODE_EXTRA_CA_CERTS: path }).readCertificates()
  expect(problem).toContain('NODE_EXTRA_CA_CERTS could not be read')
  expect(pem.length).toBeGreaterThan(100)
  expect(pem).not.toContain('nonsense')
})
