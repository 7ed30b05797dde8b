import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type Entry, readAmount, readCount, readExport, readMoment, toDay } from './read-export.ts'
import { ExportError } from './read-rows.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')
const toBytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string) => readExport(toBytes(text)).entries
const usd = (nano: number | null) => (nano === null ? null : Math.round(nano * 1e6) / 1e15)
const short = ({ at, model, requests, tokensIn, tokensOut, costNano }: Entry) => [
  ...[toDay(at), model, requests, tokensIn, tokensOut],
  usd(costNano),
]

/** The format of each file, and what its rows say. */
const GOLDEN: Readonly<Record<string, [format: string, ...unknown[][]]>> = {
  'anthropic-cost.csv': [
    'Anthropic cost',
    ['2026-11-20', 'Claude Haiku 4.5', null, null, null, 0.05],
    ['2026-11-20', 'Claude Haiku 4.5', null, null, null, 0.02],
  ],
  'anthropic-cost.json': [
    'Anthropic cost report (API)',
    ['2026-11-20', 'claude-haiku-4-5-20251001', null, null, null, 0.07],
  ],
  'anthropic-usage.csv': [
    'Anthropic usage',
    ['2026-11-20', 'claude-haiku-4-5-20251001', null, 3000, 423, null],
  ],
  'anthropic-usage.json': [
    'Anthropic usage report (API)',
    ['2026-11-20', 'claude-haiku-4-5-20251001', null, 3000, 423, null],
  ],
  'openai-costs.csv': [
    'OpenAI costs',
    ['2026-11-20', 'gpt-5-mini-2025-08-07', null, null, null, 0.002],
    ['2026-11-20', 'gpt-5-mini-2025-08-07', null, null, null, 0.001],
  ],
  'openai-costs.json': ['OpenAI costs (API)', ['2026-11-20', null, null, null, null, 0.003]],
  'openai-usage.csv': ['OpenAI usage', ['2026-11-20', 'gpt-5-mini-2025-08-07', 2, 3000, 500, null]],
  'openai-usage.json': ['OpenAI usage', ['2026-11-20', 'gpt-5-mini-2025-08-07', 2, 3000, 500, null]],
  'openrouter-activity.csv': [
    'OpenRouter activity, by day',
    ['2026-11-20', 'anthropic/claude-opus-4.7', 4115, 70_965_665, 3_009_973, 430.07],
  ],
  'openrouter-activity.json': [
    'OpenRouter activity (API)',
    ['2026-11-20', 'openai/gpt-4.1-2025-04-14', 5, 50, 125, 0.015],
  ],
  'openrouter-generations.csv': [
    'OpenRouter activity, by generation',
    ['2026-11-20', 'openai/gpt-oss-120b-20250805', 1, 10_389, 137, 0.012_345_678_901_2],
    ['2026-11-20', 'openai/gpt-oss-120b-20250805', 1, 12, 7, 0],
  ],
  'openrouter-generations.json': [
    'OpenRouter generations (API)',
    ['2026-11-20', 'sao10k/l3-stheno-8b', 1, 10, 25, 0.0015],
  ],
}

describe('exports of providers', () => {
  test('each has a file here', () => expect(readdirSync(FIXTURES).sort()).toEqual(Object.keys(GOLDEN).sort()))
  test.each(Object.entries(GOLDEN))('%s', (file, [format, ...rows]) => {
    const found = readExport(readFileSync(join(FIXTURES, file)))
    expect(found.format.name).toBe(format)
    expect(found.entries.map(short)).toEqual(rows)
  })
})

it('is the same with a byte order mark and with other line ends', () => {
  const text = readFileSync(join(FIXTURES, 'openrouter-generations.csv'), 'utf8')
  expect(read(`\ufeff${text.replaceAll('\n', '\r\n')}`)).toEqual(read(text))
})

const COSTS = 'usage_date_utc,model,cost_usd'

it.each([
  ['', 'The file is empty.'],
  ['a,b\n1\0,2', 'This is not a text file'],
  ['just text\nwithout columns', 'This is not an export that Tollgate reads.'],
  [
    'date,model,cost\n2026-11-20,m,1',
    'the usage or costs of OpenAI or Anthropic, or the activity of OpenRouter',
  ],
  ['{"data": 5}', 'The file has no list of entries'],
  ['[{"a": ', 'The file is not valid JSON'],
  [`${COSTS}\n2026-11-20,m,=SUM(A1:A9)`, 'Row 2, column “cost_usd”: “=SUM(A1:A9)” is not an amount in USD.'],
  [`${COSTS}\n2026-11-20,m,"0,12"`, 'Row 2, column “cost_usd”: “0,12” is not an amount in USD.'],
  [
    `${COSTS}\n2026-11-20,m,0.1\n2026-13-40,m,0.1`,
    'Row 3, column “usage_date_utc”: “2026-13-40” is not a date',
  ],
  [`${COSTS}\n03/04/2026,m,0.1`, 'Row 2, column “usage_date_utc”: “03/04/2026” is not a date'],
  [
    'start_time,model,num_model_requests,input_tokens\n2026-11-20,m,1,-5',
    'Row 2, column “input_tokens”: “-5” is not a whole number.',
  ],
  [`${COSTS}\n2026-11-20,m,0.1,x`, 'Row 2 has more cells than there are columns'],
  [`${COSTS}\n2026-11-20,"m,0.1`, 'Row 2 cannot be read: a quotation mark is not closed'],
  [`${COSTS}\n2026-11-20,,`, 'The export has no usage in its period.'],
  [
    'start_time,amount_value,amount_currency,line_item\n1795132800,1,eur,gpt',
    'Row 2, column “amount_currency”: “eur” is not USD',
  ],
])('rejects %j with its place', (text, message) => {
  expect(() => read(text)).toThrow(ExportError)
  expect(() => read(text)).toThrow(message)
})

const columns = Array.from({ length: 20_000 }, (_, at) => `{"c${at}":1}`).join()

test.each([
  ['a column for each entry', `[${columns}]`],
  [
    'members for each of many results',
    `[{${Array.from({ length: 2_000 }, (_, at) => `"c${at}":1`).join()},"results":[${'{},'.repeat(20_000)}{}]}]`,
  ],
  ['a member with a huge name', `[{"date":"2026-01-01","cost":1,"${'x'.repeat(1_000_000)}":1}]`],
])('a JSON file with %s is refused', (_name, text) => {
  expect(() => read(text)).toThrow(ExportError)
})

test('columns of their own make entries neither fail nor stay', () => {
  const first = '{"usage_date_utc":"2026-11-20","model":"m","cost_usd":1}'
  expect(read(`[${first},${columns}]`)).toHaveLength(1)
})

it('leaves out rows without a date, and says so', () => {
  const { entries, notes } = readExport(toBytes(`${COSTS}\n2026-11-20,m,0.5\n,Total,0.5`))
  expect(entries).toHaveLength(1)
  expect(notes).toEqual(['Rows without a date, such as totals, were left out: 1.'])
})

it('reads every amount to the nano-dollar', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.stringMatching(/^\d{1,9}$/), (whole, decimals) => {
      const expected = whole * 1e9 + Number(decimals.padEnd(9, '0'))
      expect(Math.round(readAmount(`${whole}.${decimals}`)?.nano ?? -1)).toBe(expected)
      expect(Math.round(-(readAmount(`-${whole}.${decimals}`)?.nano ?? 1))).toBe(expected)
    }),
  )
  expect(readAmount('1.5e-05')).toEqual({ nano: expect.closeTo(15_000, 6), error: 500 })
  expect([readCount('59200.0'), readCount('1.5')]).toEqual([59_200, null])
  for (const text of ['', '-', '1.2.3', '1,234', '0x1f', 'NaN', '1e999', '１２', '1.5 USD'])
    expect(readAmount(text)).toBeNull()
})

it('reads the same moment from each way to write it', () => {
  const at = Date.parse('2026-11-20T13:05:00Z')
  for (const text of [
    '2026-11-20T13:05:00Z',
    '2026-11-20 13:05',
    '2026-11-20T14:05:00.000000+01:00',
    `${at / 1000}`,
  ])
    expect([text, readMoment(text)]).toEqual([text, at])
  expect(readMoment('2026-11-20')).toBe(Date.parse('2026-11-20'))
  for (const text of ['2026-02-30', '2026-11-20T25:00', '20.11.2026', '']) expect(readMoment(text)).toBeNull()
})

it('never does anything but read or reject, whatever the file is', () => {
  const cell = fc.oneof(
    fc.string({ maxLength: 12, unit: 'binary' }),
    fc.constantFrom(
      'usage_date_utc',
      'model',
      'cost_usd',
      '2026-11-20',
      '0.5',
      '"',
      '=1+1',
      '\0',
      '\r',
      ';',
      '{"data":[',
    ),
  )
  fc.assert(
    fc.property(fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 8 }), (rows) => {
      const text = rows.map((cells) => cells.join(',')).join('\n')
      try {
        const entries = read(text)
        expect(entries.every(({ at }) => Number.isFinite(at))).toBe(true)
      } catch (error) {
        expect(error).toBeInstanceOf(ExportError)
      }
    }),
    { numRuns: 300 },
  )
})
