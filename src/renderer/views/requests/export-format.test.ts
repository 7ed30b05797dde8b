import { expect, test } from 'vitest'
import type { RequestRecord } from '../../../shared/requests.ts'
import { formatRecord, frames } from './export-format.ts'

const record: RequestRecord = {
  id: 'req_1',
  createdAt: '2026-11-21T10:00:00.000Z',
  keyId: 'key_1',
  keyName: 'Editor, "main"',
  requestedModel: 'gpt',
  model: 'gpt',
  provider: 'openai',
  stream: true,
  status: 'succeeded',
  httpStatus: 200,
  error: null,
  tokensIn: 1,
  tokensOut: 2,
  usage: null,
  costUsd: 1.2e-8,
  costStatus: 'exact',
  costLowUsd: null,
  costHighUsd: null,
  reservedUsd: 0,
  price: null,
  attempts: [],
  timings: { queueMs: 0, firstByteMs: null, totalMs: 12.5 },
  endpoint: null,
  count: 1,
  lastAt: null,
  client: '=HYPERLINK("http://evil")',
  clientName: '=HYPERLINK',
  bodiesKept: false,
}

test('a CSV row quotes where needed and writes money in full', () => {
  const row = formatRecord(record, 'csv')
  expect(row).toContain('key_1,"Editor, ""main""",gpt')
  expect(row).toContain(',0.000000012,exact,,,0,,12.5,0,')
})

test('text from a client cannot become a formula', () => {
  expect(formatRecord(record, 'csv')).toContain(`"'=HYPERLINK(""http://evil"")"`)
})

test('a CSV row has as many cells as the head', () => {
  const plain = { ...record, keyName: 'Editor', client: null }
  const head = frames.csv.head.trim().split(',')
  expect(formatRecord(plain, 'csv').split(',')).toHaveLength(head.length)
})

test('framed JSON records are one JSON array', () => {
  const { head, between, tail } = frames.json
  const text = head + [record, record].map((one) => formatRecord(one, 'json')).join(between) + tail
  expect(JSON.parse(text)).toEqual([record, record])
})
