import { expect, test } from 'vitest'
import { findFaults } from './check-commits.ts'

const REASON = '\n\nA cap of a key did not count it.'

test.each([
  'spend: count cached tokens once',
  'window, host: name types by nouns',
  'store: embed the schema in a backup',
])('%s', (subject) => {
  expect(findFaults(subject + REASON)).toEqual([])
})

test.each([
  ['Spend: count cached tokens once', REASON, 'form'],
  ['count cached tokens once', REASON, 'form'],
  ['spend: count cached tokens once.', REASON, 'form'],
  ['spend: counted cached tokens once', REASON, 'imperative'],
  ['spend: fixes the count of tokens', REASON, 'imperative'],
  [`spend: count ${'cached '.repeat(10)}tokens`, REASON, 'characters'],
  ['spend: count cached tokens once', '', 'reason'],
  ['spend: count cached tokens once', '\nA cap did not count it.', 'reason'],
])('%s%j is found', (subject, body, fault) => {
  expect(findFaults(subject + body)).toEqual([expect.stringContaining(fault)])
})
