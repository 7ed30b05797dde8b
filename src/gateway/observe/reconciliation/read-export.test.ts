import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { Entry } from './entry-reader.ts'
import { openExport, readEntries } from './read-export.ts'
import { findDateOrder, findDecimalMark, readAmount, readCount, readMoment } from './read-numbers.ts'
import { ExportError } from './table.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')
const noOptions = { timeZone: null, mapping: null }
const toBytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string) => readEntries(openExport(toBytes(text), noOptions))
const usd = (cost: bigint | null) => (cost === null ? null : Number(cost) / 1e15)
const short = ({ day, model, requests, tokensIn, tokensOut, cost }: Entry) => [
  ...[day, model, requests, tokensIn, tokensOut],
  usd(cost),
]

/** The format of each file, and what its rows say. */
const GOLDEN: Readonly<Record<string, [format: string, ...unknown[][]]>> = {
  'anthropic-cost.csv': [
    'anthropic-cost',
    ['2026-11-20', 'Claude Haiku 4.5', null, null, null, 0.05],
    ['2026-11-20', 'Claude Haiku 4.5', null, null, null, 0.02],
  ],
  'anthropic-cost.json': [
    'anthropic-cost-api',
    ['2026-11-20', 'claude-haiku-4-5-20251001', null, null, null, 0.07],
  ],
  'anthropic-usage.csv': [
    'anthropic-usage',
    ['2026-11-20', 'claude-haiku-4-5-20251001', null, 3000, 423, null],
  ],
  'anthropic-usage.json': [
    'anthropic-usage-api',
    ['2026-11-20', 'claude-haiku-4-5-20251001', null, 3000, 423, null],
  ],
  'google-cost-table.csv': [
    'google-cost-table',
    ['2026-11-20', 'gemini-2.5-flash-lite', null, null, null, 0.005],
  ],
  'google-report.csv': ['google-report', ['2026-11-20', 'gemini-2.5-flash', null, null, null, 0.0387]],
  'openai-costs.csv': [
    'openai-costs',
    ['2026-11-20', 'gpt-5-mini-2025-08-07', null, null, null, 0.002],
    ['2026-11-20', 'gpt-5-mini-2025-08-07', null, null, null, 0.001],
  ],
  'openai-costs.json': ['openai-costs-api', ['2026-11-20', null, null, null, null, 0.003]],
  'openai-usage.csv': ['openai-usage', ['2026-11-20', 'gpt-5-mini-2025-08-07', 2, 3000, 500, null]],
  'openai-usage.json': ['openai-usage', ['2026-11-20', 'gpt-5-mini-2025-08-07', 2, 3000, 500, null]],
  'openrouter-activity.csv': [
    'openrouter-activity',
    ['2026-11-20', 'anthropic/claude-opus-4.7', 4115, 70_965_665, 3_009_973, 430.07],
  ],
  'openrouter-activity.json': [
    'openrouter-activity-json',
    ['2026-11-20', 'openai/gpt-4.1-2025-04-14', 5, 50, 125, 0.015],
  ],
  'openrouter-generations.csv': [
    'openrouter-generations',
    ['2026-11-20', 'openai/gpt-oss-120b-20250805', null, 10_389, 137, 0.012_345_678_901_2],
    ['2026-11-20', 'openai/gpt-oss-120b-20250805', null, 12, 7, 0],
  ],
  'openrouter-generations.json': [
    'openrouter-generations-json',
    ['2026-11-20', 'sao10k/l3-stheno-8b', null, 10, 25, 0.0015],
  ],
}

describe('exports of providers', () => {
  test('each has a file here', () => expect(readdirSync(FIXTURES).sort()).toEqual(Object.keys(GOLDEN).sort()))
  test.each(Object.entries(GOLDEN))('%s', (file, [format, ...rows]) => {
    const opened = openExport(readFileSync(join(FIXTURES, file)), noOptions)
    expect(opened.format?.id).toBe(format)
    expect(readEntries(opened).map(short)).toEqual(rows)
  })
})

it('is the same with another encoding, line end or separator', () => {
  const text = readFileSync(join(FIXTURES, 'openrouter-generations.csv'), 'utf8')
  const expected = read(text).map(short)
  const utf16 = (swap: boolean) => {
    const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
    return swap ? bytes.swap16() : bytes
  }
  const variants = [
    utf16(false),
    utf16(true),
    toBytes(`\ufeff${text.replaceAll('\n', '\r\n')}`),
    toBytes(text.replaceAll(',', '\t')),
    toBytes(
      text
        .replaceAll('.', '@')
        .replaceAll(',', ';')
        .replaceAll(/(\d)@(\d)/g, '$1,$2'),
    ),
  ]
  for (const bytes of variants) expect(readEntries(openExport(bytes, noOptions)).map(short)).toEqual(expected)
})

it.each([
  ['', 'The file is empty.'],
  ['a,b\n1\0,2', 'Row 2 has a NUL character'],
  ['just text\nwithout columns', 'The file has no columns'],
  ['foo,bar\n1,2', 'The columns of this file are not known'],
  ['{"data": 5}', 'The file has no list of entries'],
  ['[{"a": ', 'The file is not valid JSON'],
  [
    'date,model,cost\n2026-11-20,m,=SUM(A1:A9)',
    'Row 2, column “cost”: “=SUM(A1:A9)” is not an amount in USD.',
  ],
  ['date,model,cost\n2026-11-20,m,0.1\n2026-13-40,m,0.1', 'Row 3, column “date”: “2026-13-40” is not a date'],
  ['date,model,cost\n03/04/2026,m,0.1', 'Row 2, column “date”: “03/04/2026” is not clear'],
  ['date,model,cost (€)\n2026-11-20,m,0.1', 'The column “cost (€)” is not in USD'],
  ['date,model,cost\n2026-11-20,m,"0,12"\n2026-11-21,m,0.12', 'others a decimal comma'],
  ['date,model,input_tokens\n2026-11-20,m,-5', 'Row 2, column “input_tokens”: “-5” is not a whole number.'],
  ['date,model,cost\n2026-11-20,m,0.1,x', 'Row 2 has 4 cells, and there are 3 columns'],
  [`date,model,cost\n2026-11-20,${'x'.repeat(10_001)},0.1`, 'Row 2, column 2: the cell has 10001 characters'],
  ['date,model,cost\n2026-11-20,"m,0.1', 'Row 2 cannot be read: a quotation mark is not closed'],
  [
    'start_time,amount_value,amount_currency,line_item\n1795132800,1,eur,gpt',
    'Row 2, column “amount_currency”: “eur” is not USD',
  ],
])('rejects %j with its place', (text, message) => {
  expect(() => read(text)).toThrow(ExportError)
  expect(() => read(text)).toThrow(message)
})

test.each([
  ['a column for each entry', `[${Array.from({ length: 20_000 }, (_, at) => `{"c${at}":1}`).join()}]`],
  [
    'members for each of many results',
    `[{${Array.from({ length: 2_000 }, (_, at) => `"c${at}":1`).join()},"results":[${'{},'.repeat(20_000)}{}]}]`,
  ],
  ['a member with a huge name', `[{"date":"2026-01-01","cost":1,"${'x'.repeat(1_000_000)}":1}]`],
])('a JSON file with %s is refused', (_name, text) => {
  expect(() => read(text)).toThrow(ExportError)
})

it('guesses which column has what, and says what was left out', () => {
  const opened = openExport(
    toBytes(
      'Created At;Deployment;Prompt tokens;Completion tokens;Total cost\n20.11.2026 14:05;m;1.000;20;0,5\nTotal;;;;0,5\n;;1.000;;',
    ),
    { timeZone: 'Europe/Berlin', mapping: null },
  )
  expect(opened.mapping).toMatchObject({
    ...{ each: 'request', time: 'Created At', model: 'Deployment', cost: 'Total cost' },
    ...{ input: ['Prompt tokens'], output: ['Completion tokens'] },
  })
  expect(() => readEntries(opened)).toThrow('Row 3, column “Created At”: “Total” is not a date')
  const daily = openExport(toBytes('day,model,calls,cost\n2026-11-20,m,3,0.5\n,,3,0.5'), noOptions)
  expect(daily.mapping).toMatchObject({ each: 'period', time: 'day', requests: 'calls' })
  expect(readEntries(daily)).toHaveLength(1)
  expect(daily.notes).toEqual([expect.stringContaining('1 row without a date')])
})

it('reads every amount that it can be given exactly, in both notations', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fc.stringMatching(/^\d{1,15}$/),
      fc.boolean(),
      fc.constantFrom('.' as const, ',' as const),
      (whole, decimals, grouped, mark) => {
        const separator = mark === '.' ? ',' : '.'
        const left = grouped ? String(whole).replaceAll(/\B(?=(\d{3})+$)/g, separator) : String(whole)
        const expected = whole * 10n ** 15n + BigInt(decimals.padEnd(15, '0'))
        for (const text of [
          `${left}${mark}${decimals}`,
          `$${left}${mark}${decimals}`,
          `${left}${mark}${decimals} USD`,
        ]) {
          expect(readAmount(text, mark)?.femto).toBe(expected)
        }
        expect(readAmount(`-${left}${mark}${decimals}`, mark)?.femto).toBe(-expected)
      },
    ),
  )
  expect([readAmount('1.5e-05', '.')?.femto, readCount('59,200.0', '.'), readCount('1.5', '.')]).toEqual([
    ...[15_000_000_000n, 59_200, null],
  ])
  for (const text of ['', '-', '1.2.3', '1,23,456', '0x1f', 'NaN', '1e999', '１２', '1 000,5 EUR']) {
    expect(readAmount(text, '.')).toBeNull()
  }
  expect([
    findDecimalMark(['1,234', '5.5']),
    findDecimalMark(['0,5']),
    findDecimalMark(['1.5', '1,5']),
  ]).toEqual([...['.', ',', null]])
})

it('reads the same moment from each way to write it', () => {
  const at = Date.parse('2026-11-20T13:05:00Z')
  for (const text of [
    ...['2026-11-20T13:05:00Z', '2026-11-20 14:05', '2026-11-20T14:05:00.000+01:00', '20.11.2026 14:05'],
    ...['20/11/2026, 2:05 PM', String(at / 1000), String(at)],
  ]) {
    expect([text, readMoment(text, 'Europe/Berlin', findDateOrder([text]))?.at]).toEqual([text, at])
  }
  expect(readMoment('20261120', 'UTC', null)).toEqual({ at: Date.parse('2026-11-20'), isDay: true })
  expect(findDateOrder(['03/04/2026', '03/25/2026'])).toBe('month-first')
})

it('never does anything but read or reject, whatever the file is', () => {
  const cell = fc.oneof(
    fc.string({ maxLength: 12, unit: 'binary' }),
    fc.constantFrom('date', 'model', 'cost', '2026-11-20', '0.5', '"', '=1+1', '\0', '\r', ';', '{"data":['),
  )
  fc.assert(
    fc.property(fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 8 }), (rows) => {
      const text = rows.map((cells) => cells.join(',')).join('\n')
      try {
        const entries = read(text)
        expect(entries.every(({ day }) => /^\d{4}-\d\d-\d\d$/.test(day))).toBe(true)
      } catch (error) {
        expect(error).toBeInstanceOf(ExportError)
      }
    }),
    { numRuns: 300 },
  )
})
