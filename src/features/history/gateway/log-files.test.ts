import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../shared/values/json.ts'
import { Findings } from './findings.ts'
import { readJsonLines } from './log-files.ts'
import { createHome } from './testing/log-home.ts'

async function readNumbers(path: string, visit: (line: JsonObject) => void = () => {}) {
  const sink = new Findings()
  const numbers: unknown[] = []
  const reading = {
    wants: () => true,
    visit(line: JsonObject) {
      numbers.push(line.n)
      visit(line)
    },
  }
  await readJsonLines(path, reading, sink)
  return { numbers, skipped: sink.finish().skipped.map(({ reason, count }) => [reason, count]) }
}

test('a file that grows while it is read is read to its end, whatever the sizes of its parts', async () => {
  const place = createHome({})
  const path = join(place.home, 'log.jsonl')
  // Each line ends elsewhere in the chunks that are read.
  const filler = 'x'.repeat(700_000)
  writeFileSync(path, [1, 2, 3].map((n) => `${JSON.stringify({ n, filler })}\n`).join(''))
  const growing = await readNumbers(path, ({ n }) => {
    if (n === 1) appendFileSync(path, '{"n": 4}\n{"n": 5')
  })
  expect(growing).toEqual({ numbers: [1, 2, 3, 4], skipped: [] })
  appendFileSync(path, '}\n')
  expect((await readNumbers(path)).numbers).toEqual([1, 2, 3, 4, 5])
})

test('lines that are too long are skipped, with the memory of a short one', async () => {
  const place = createHome({})
  const path = join(place.home, 'log.jsonl')
  const part = Buffer.alloc(10 * 1024 * 1024, 'x')
  writeFileSync(path, '{"n": 1}\n{"long": "')
  for (let index = 0; index < 10; index += 1) appendFileSync(path, part)
  appendFileSync(path, '"}\n{"n": 2}\n')
  const before = process.memoryUsage().arrayBuffers
  const { numbers, skipped } = await readNumbers(path, ({ n }) => {
    if (n === 2) expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(80 * 1024 * 1024)
  })
  expect([numbers, skipped]).toEqual([[1, 2], [['long-line', 1]]])
})

test('a missing file is no problem', async () => {
  expect(await readNumbers('/nowhere/log.jsonl')).toEqual({ numbers: [], skipped: [] })
})
