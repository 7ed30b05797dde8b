import { expect, test } from 'vitest'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { createExportWriter } from './export-form.tsx'

const csv = createExportWriter({ format: 'csv', columns: null })
const json = createExportWriter({ format: 'json', columns: null })

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
  worthUsd: null,
  savedUsd: null,
  sample: false,
  costStatus: 'exact',
  costLowUsd: null,
  costHighUsd: null,
  reservedUsd: 0,
  heldUsd: null,
  heldUntil: null,
  price: null,
  attempts: [],
  timings: { queueMs: 0, firstByteMs: null, totalMs: 12.5 },
  endpoint: null,
  sessionId: null,
  agent: null,
  overflowFrom: null,
  prompt: null,
  finishReason: 'stop',
  tag: null,
  count: 1,
  lastAt: null,
  client: '=HYPERLINK("http://evil")',
  clientName: '=HYPERLINK',
  bodiesKept: false,
}

test('a CSV row quotes where needed and writes money in full', () => {
  const row = csv.write(record)
  expect(row).toContain('key_1,"Editor, ""main""",gpt')
  expect(row).toContain(',0.000000012,exact,,,0,,12.5,0,')
})

test('text from a client cannot become a formula', () => {
  expect(csv.write(record)).toContain(`"'=HYPERLINK(""http://evil"")"`)
})

test('a CSV row has as many cells as the head', () => {
  const plain = { ...record, keyName: 'Editor', client: null }
  const head = csv.head.trim().split(',')
  expect(csv.write(plain).split(',')).toHaveLength(head.length)
})

test('framed JSON records are one JSON array', () => {
  const { head, between, tail } = json
  const text = head + [record, record].map((one) => json.write(one)).join(between) + tail
  expect(JSON.parse(text)).toEqual([record, record])
})

test('only the columns of the table, in either format', () => {
  const columns = ['cost', 'model', 'rate'] as const
  const table = createExportWriter({ format: 'csv', columns })
  expect(table.head.trim()).toBe(
    '\u{feff}id,requestedModel,model,costUsd,costStatus,sample,worthUsd,savedUsd'.trim(),
  )
  expect(table.write(record)).toBe(`${record.id},gpt,gpt,0.000000012,exact,false,,`)
  expect(JSON.parse(createExportWriter({ format: 'json', columns }).write(record))).toEqual({
    id: record.id,
    requestedModel: 'gpt',
    model: 'gpt',
    costUsd: record.costUsd,
    costStatus: 'exact',
    sample: false,
    worthUsd: null,
    savedUsd: null,
  })
})
