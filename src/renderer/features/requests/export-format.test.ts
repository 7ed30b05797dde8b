import { expect, test } from 'vitest'
import { requestRow } from '../../testing/rows.ts'
import { createExportWriter } from './export-form.tsx'

const csv = createExportWriter({ format: 'csv', columns: null })
const json = createExportWriter({ format: 'json', columns: null })

const record = requestRow('req_1', 0, {
  keyName: 'Editor, "main"',
  requestedModel: 'gpt',
  model: 'gpt',
  tokensOut: 2,
  costUsd: 1.2e-8,
  timings: { queueMs: 0, firstByteMs: null, totalMs: 12.5 },
  client: '=HYPERLINK("http://evil")',
  clientName: '=HYPERLINK',
})

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
