// @vitest-environment jsdom
import { afterEach, expect, test } from 'vitest'
import { openExternal } from './external.ts'

const copied: string[] = []
Object.defineProperty(navigator, 'clipboard', {
  value: { writeText: async (text: string) => void copied.push(text) },
})
afterEach(() => {
  Object.assign(window, { desktop: undefined })
  copied.length = 0
})

function installDesktop(open: (url: string) => Promise<boolean>) {
  Object.assign(window, { desktop: { openExternal: open } })
}

test('a page that the app opens is not copied', async () => {
  const opened: string[] = []
  installDesktop(async (url) => opened.push(url) > 0)
  await openExternal('https://console.example/keys')
  expect([opened, copied]).toEqual([['https://console.example/keys'], []])
})

test.each([
  ['does not open', async () => false],
  [
    'rejects',
    async () => {
      throw new Error('The URL must use https.')
    },
  ],
])('the address of a page that the app %s is copied', async (_name, open) => {
  installDesktop(open)
  await openExternal('https://example.org/')
  expect(copied).toEqual(['https://example.org/'])
})
