import { expect, test } from 'vitest'
import { locateHost } from './hosts.ts'

test.each([
  ['localhost', 'loopback'],
  ['a.localhost', 'loopback'],
  ['127.9.9.9', 'loopback'],
  ['[::1]', 'loopback'],
  ['[::ffff:7f00:1]', 'loopback'],
  ['10.1.2.3', 'private'],
  ['172.16.0.1', 'private'],
  ['172.32.0.1', 'public'],
  ['192.168.1.5', 'private'],
  ['100.64.0.1', 'private'],
  ['100.128.0.1', 'public'],
  ['[fd12::1]', 'private'],
  ['[fe80::1]', 'private'],
  ['[2001:db8::1]', 'public'],
  ['[::ffff:808:808]', 'public'],
  ['gpu-box', 'private'],
  ['gpu.local.', 'private'],
  ['llm.home.arpa', 'private'],
  ['192.0.2.1', 'public'],
  ['127.evil.com', 'public'],
  ['localhost.evil.com', 'public'],
  ['api.openai.com', 'public'],
])('%s is %s', (hostname, place) => {
  expect(locateHost(hostname)).toBe(place)
})
