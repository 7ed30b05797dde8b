// Home folders with the logs of agents.
import { hash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { tempDirForTest } from '../../../../gateway/testing/temp-dir.ts'
import { HISTORY_TOOLS } from '../../../../shared/api/history-tools.ts'
import { Findings, type History } from '../findings.ts'
import { readers } from '../read-history.ts'
import { type Place, type Reader, sumTokens, type Tokens, type UsageRow } from '../readers/reader.ts'
import { KEEP_HOMES, type KeptHome } from './kept-home.ts'

/** A home folder with these files, by their path in it. A list of objects is written as JSON lines. */
export function createHome(files: Readonly<Record<string, string | Buffer | readonly object[]>>): Place {
  const home = tempDirForTest()
  for (const [name, content] of Object.entries(files)) writeLog(join(home, name), content)
  return { home, env: {} }
}

export function writeLog(path: string, content: string | Buffer | readonly object[]): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' || Buffer.isBuffer(content) ? content : toLines(content))
}

export function toLines(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** Reads the home twice, which must give the same and write nothing there. */
export async function readHome(reader: Reader, place: Place): Promise<History> {
  const before = listState(place.home)
  const [first, second] = [await readOnce(reader, place), await readOnce(reader, place)]
  if (JSON.stringify(first) !== JSON.stringify(second)) throw new Error('Reading again gave something else.')
  if (listState(place.home) !== before) throw new Error('A file was written.')
  keepHome(reader, place, first)
  return first
}

function keepHome(reader: Reader, { home, env }: Place, { rows }: History): void {
  const folder = process.env[KEEP_HOMES]
  const tool = HISTORY_TOOLS.find((each) => readers[each] === reader)
  // Variables that lead elsewhere are known in the test alone.
  if (folder === undefined || tool === undefined || Object.keys(env).length > 0) return
  const test = expect.getState().currentTestName ?? ''
  const kept = join(folder, String(readdirSync(folder).length))
  cpSync(home, join(kept, 'home'), { recursive: true, verbatimSymlinks: true })
  const tokens = rows.reduce((sum, row) => sum + sumTokens(row.tokens), 0)
  const facts: KeptHome = { test, home: join(kept, 'home'), tool, tokens }
  writeFileSync(join(kept, 'facts.json'), JSON.stringify(facts))
}

async function readOnce(reader: Reader, place: Place): Promise<History> {
  const findings = new Findings()
  await reader.read(place, findings)
  return findings.finish()
}

/** All files with their content and times. */
function listState(home: string): string {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      if (!entry.isFile()) return path
      const { mtimeNs, ctimeNs } = statSync(path, { bigint: true })
      return [path, mtimeNs, ctimeNs, isReadable(path) ? hash('sha1', readFileSync(path)) : ''].join(' ')
    })
    .sort()
    .join('\n')
}

function isReadable(path: string): boolean {
  return (statSync(path).mode & 0o400) !== 0
}

/** The sum of all rows: the number of calls, and those buckets that are not 0. */
export function sumRows(rows: readonly UsageRow[]): Partial<Tokens> & { calls: number } {
  const sum: Record<string, number> & { calls: number } = { calls: 0 }
  for (const row of rows) {
    sum.calls += row.calls
    for (const [bucket, count] of Object.entries(row.tokens))
      if (count > 0) sum[bucket] = (sum[bucket] ?? 0) + count
  }
  return sum
}
