import { expect, test } from 'vitest'
import { isAppPage, isAppUrl } from './addresses.ts'

test.each(['app://tollgate/', 'app://tollgate/keys?new', 'app://tollgate/settings#top', 'app://tollgate/v1'])(
  'a page may navigate the window to %s',
  (url) => expect(isAppPage(url)).toBe(true),
)

test.each([
  'about:blank',
  'app://tollgate/v1/keys',
  'app://tollgate/v1beta/models',
  'app://tollgate/healthz',
  'app://tollgate/openapi.json',
  'app://tollgate/failed?reason=Call%20this%20number',
  'app://tollgate.evil/',
  'https://tollgate/',
  'data:text/html,x',
  'javascript:alert(1)',
  'not a url',
])('a page may not navigate the window to %s', (url) => expect(isAppPage(url)).toBe(false))

test('the failure page is served by the app', () => {
  expect(isAppUrl('app://tollgate/failed?reason=x')).toBe(true)
})
