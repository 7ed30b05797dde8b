import { expect, test } from 'vitest'
import { findLink, linkTo, readLink } from './deep-links.ts'
import { PAUSE_HREF, VIEWS } from './views.ts'

const REQUEST = `req_${'0a'.repeat(16)}`
const KEY = `key_${'0b'.repeat(12)}`
const SESSION = `ses_${'0c'.repeat(16)}`

test.each([
  [linkTo('requests', REQUEST), `/requests/${REQUEST}`],
  [linkTo('receipts', REQUEST), `/receipts/${REQUEST}`],
  [linkTo('sessions', SESSION), `/sessions/${SESSION}`],
  [linkTo('keys', KEY), `/keys?edit=${KEY}`],
  ['tollgate://', '/'],
  ['tollgate://usage', '/usage'],
  // Windows and some desktops add a slash.
  ['tollgate://usage/', '/usage'],
  [`tollgate://requests/${REQUEST}/`, `/requests/${REQUEST}`],
  ['tollgate://help/cli', '/help/cli'],
])('%s opens %s', (link, href) => expect(readLink(link)).toBe(href))

test('a link opens every view', () => {
  for (const { href } of VIEWS) expect(readLink(`tollgate:/${href}`)).toBe(href)
})

test.each([
  'tollgate:',
  'tollgate:usage',
  'tollgate:///usage',
  'tollgate:////evil.example/usage',
  'tollgate://usage//',
  'tollgate://unknown',
  'tollgate://failed',
  'tollgate://v1/keys',
  'tollgate://openapi.json',
  'tollgate://../v1/keys',
  'tollgate://help/..',
  `tollgate://requests/../keys`,
  `tollgate://requests/${REQUEST}/receipt`,
  `tollgate://requests/${REQUEST}%2f..`,
  `tollgate://requests/${REQUEST.toUpperCase()}`,
  `tollgate://requests/${KEY}`,
  'tollgate://requests/req_',
  'tollgate://%75sage',
  'tollgate://usage?by=model',
  'tollgate://usage#top',
  'tollgate://usage\n',
  'tollgate://usage --remote-debugging-port=9222',
  `tollgate://${PAUSE_HREF.slice(1)}`,
  `tollgate://keys?revoke=${KEY}`,
  `tollgate://keys/${KEY}?revoke=${KEY}`,
  'tollgate://user@usage',
  'tollgate://usage:80',
  'tollgate://settings#monthly-limit',
  'TOLLGATE://usage',
  'app://tollgate/usage',
  'https://usage',
  `tollgate://${'a'.repeat(100_000)}`,
])('%s opens nothing', (link) => expect(readLink(link)).toBeNull())

test('the link is found among the switches that Chromium adds for a second instance', () => {
  const args = ['/opt/Tollgate/tollgate', '--allow-file-access-from-files', 'tollgate://usage']
  expect(findLink(args)).toBe('tollgate://usage')
  expect(findLink(args.slice(0, 2))).toBeNull()
})
