import { expect, test } from 'vitest'
import { ignoreKeyLog, refusedSwitch } from './debugging.ts'

test.each([
  'remote-debugging-port',
  'remote-debugging-pipe',
  'inspect',
  'inspect-brk',
  'disable-web-security',
  'proxy-server',
  'log-file',
])('--%s is refused', (name) => expect(refusedSwitch((each) => each === name)).toContain(`--${name}`))

test('the variable for logs of TLS keys is ignored', () => {
  const env = { SSLKEYLOGFILE: '/tmp/keys', PATH: '/bin' }
  ignoreKeyLog(env)
  expect(env).toEqual({ PATH: '/bin' })
})

test('other switches are allowed', () => {
  expect(refusedSwitch((name) => ['hidden', 'no-sandbox', 'lang'].includes(name))).toBeNull()
})
