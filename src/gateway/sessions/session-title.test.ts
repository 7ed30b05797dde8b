import { expect, test } from 'vitest'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import { getTitle } from './session-title.ts'

const asked = (...contents: string[]): ChatRequest => ({
  model: 'm',
  messages: [
    { role: 'system', content: 'You are an agent.' },
    ...contents.map((content) => ({ role: 'user' as const, content })),
  ],
})

test.each([
  ['Fix the login', ['  Fix\n the login ']],
  [
    'Fix the login',
    [
      '<system-reminder>\nToday is Monday.\n</system-reminder>',
      'Fix the login<system-reminder>Use tools.</system-reminder>',
    ],
  ],
  [
    'Fix the login',
    [
      '# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>',
      '<environment_context>\n  <cwd>/work</cwd>\n</environment_context>',
      'Fix the login',
    ],
  ],
  [
    'Fix the login',
    ['<task>\nFix the login\n</task>\n<environment_details>\n# Files\n</environment_details>'],
  ],
])('%s', (title, contents) => {
  expect(getTitle(asked(...contents))).toBe(title)
})

test('has few words, and no key', () => {
  const title = getTitle(asked(`Use tg-${'s'.repeat(43)} and ${'many words '.repeat(50)}`)) ?? ''
  expect(title).toMatch(/^Use … and .*many…$|^Use …/)
  expect(title).not.toContain('tg-sss')
  expect(title.length).toBeLessThanOrEqual(82)
})

test('is null without words, and for a check of the quota', () => {
  expect(getTitle(asked('<system-reminder>x</system-reminder>'))).toBeNull()
  expect(getTitle({ ...asked('quota'), max_tokens: 1 })).toBeNull()
  expect(
    getTitle({ model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 'Draw a cat' }] }] }),
  ).toBe('Draw a cat')
})

test.each([
  ['one tag with a long name', [`<${'reminder-'.repeat(300)}>${'<'.repeat(90_000)}`]],
  ['many blocks that are not closed', Array.from({ length: 800 }, () => '<reminder>'.repeat(5_000))],
  ['many ends', ['<reminder>'.repeat(8_000) + '</reminder>'.repeat(10_000)]],
])('goes over %s once: again from each place would take longer than a test may', (_name, contents) => {
  getTitle(asked(...contents))
})
