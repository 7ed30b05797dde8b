import { expect, test } from 'vitest'
import { refusedSwitch } from './debugging.ts'

test.each([
  'remote-debugging-port',
  'remote-debugging-pipe',
  'inspect',
  'inspect-brk',
  'disable-web-security',
])('--%s is refused', (name) => expect(refusedSwitch((each) => each === name)).toContain(`--${name}`))

test('other switches are allowed', () => {
  expect(refusedSwitch((name) => ['hidden', 'no-sandbox', 'lang'].includes(name))).toBeNull()
})
