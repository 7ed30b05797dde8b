import { expect, test } from 'vitest'
import { findNotes, parseChangelog } from './changelog.ts'

const TEXT = `# Changelog

## Unreleased

- Not out yet.

## [0.2.0] - 2027-01-31

Caps
- Exact.

### Money

More.

## 0.1.0

The first.
`

test('the sections of a changelog have a version, a day and their text', () => {
  expect(parseChangelog(TEXT)).toEqual([
    { version: 'Unreleased', date: null, notes: '- Not out yet.' },
    { version: '0.2.0', date: '2027-01-31', notes: 'Caps\n- Exact.\n\n### Money\n\nMore.' },
    { version: '0.1.0', date: null, notes: 'The first.' },
  ])
  expect(parseChangelog(TEXT.replaceAll('\n', '\r\n'))).toEqual(parseChangelog(TEXT))
})

test('the notes of a version are its own, or those not released yet', () => {
  expect(findNotes(TEXT, '0.1.0')).toBe('The first.')
  expect(findNotes(TEXT, '0.3.0')).toBe('- Not out yet.')
  expect(findNotes('# Changelog\n\n## 0.1.0\n', '0.1.0')).toBeNull()
})
