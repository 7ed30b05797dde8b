import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { root } from '../commands.ts'
import { formatPage } from './page.ts'

const Table = z.object({
  title: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string())),
})
const Run = z.object({
  goals: z.array(
    z.object({ name: z.string(), measured: z.string(), target: z.string(), met: z.boolean().nullable() }),
  ),
  tables: z.array(Table),
  remarks: z.array(z.string()),
  machine: Table,
})

/** The lines of the table of targets in a quick run, which has neither a peer nor Electron. */
const GOALS = [
  'files entered by a streamed request',
  'functions called by a streamed request',
  'promises of the main thread per plain request',
  'bytes of the main thread’s heap per plain request',
  'waits for the disk at the first start',
  'bytes of scripts loaded at the start',
  'plain, 1 client: median over the bare proxy',
  'plain, 1 client: median in Electron over headless',
  'plain, 32 clients: rate relative to the bare proxy',
  'plain, 32 clients: rate relative to the peer',
  'plain, 32 clients: rate in Electron relative to headless',
  'streams of 50 chunks, 32 clients: rate relative to the bare proxy',
  '100 requests a second: over the bare proxy, p50',
  '100 requests a second: over the bare proxy, p99',
  '500 requests a second: over the bare proxy, p99',
  'processor time per streamed chunk relative to the bare proxy',
  '10 streams: delay of a chunk that we add, p99.9',
  '10 streams: memory',
  'disk per request without bodies: 80 equal requests',
  'disk per request without bodies: 200 requests of many keys, models and clients',
  'start to listening',
  'start to listening, without the time of an empty Node process',
  'start to listening with 200 requests, relative to none',
  'memory of the idle headless program',
  'admission with 200 requests, relative to 20',
  'settlement with 200 requests, relative to 20',
  'first page of the log with 200 requests, relative to 20',
  'Overview with 200 requests, relative to 20',
]
const TARGETS = ['upstream itself', 'bare proxy', 'Tollgate, headless']
const TIMEOUT_MS = 240_000

async function runQuick(...flags: readonly string[]) {
  const dir = tempDirForTest()
  const json = join(dir, 'bench.json')
  const args = [...SOURCE_FLAGS, 'src/tooling/bench/bench.ts', '--quick', '--json', json, ...flags]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  return { stdout, run: Run.parse(JSON.parse(readFileSync(json, 'utf8'))) }
}

test(
  'a quick run measures one gateway and two, each directly and through both proxies',
  async () => {
    const { run } = await runQuick('--only', 'proxies')
    const ways = (gateways: string) => ['direct', 'HAProxy', 'nginx'].map((way) => `${gateways}, ${way}`)
    const one = ways('one gateway')
    const both = [...one, ...ways('two gateways')]
    expect(run.tables.map(({ rows }) => rows.map(([way]) => way))).toEqual([one, both, both, one])
    for (const { rows } of run.tables) expect(rows.flat().join(' ')).not.toMatch(/NaN|undefined|Infinity/)
  },
  TIMEOUT_MS,
)

test(
  'a quick run measures every case',
  async () => {
    const { run, stdout } = await runQuick()
    expect(run.goals.map(({ name }) => name)).toEqual(GOALS)
    for (const { name, measured, met } of run.goals)
      if (name.includes('peer') || name.includes('Electron')) expect(met).toBeNull()
      // They are counted by strace, which need not be there.
      else if (met === null && /^(waits|bytes of scripts)/.test(name)) expect(measured).toBe('–')
      else expect(measured).toMatch(/^[+−]?\d/)
    for (const { title, columns, rows } of run.tables) {
      expect(rows.length, title).toBeGreaterThan(0)
      for (const row of rows) {
        expect(row, title).toHaveLength(columns.length)
        expect(row.join(' ')).not.toMatch(/\b(NaN|undefined|Infinity)\b|failed:/)
      }
    }
    const compared = run.tables.filter(({ columns }) => columns.includes('over bare'))
    expect(compared.map(({ rows }) => rows.map(([name]) => name))).toEqual(Array(4).fill(TARGETS))
    const parts = run.tables.find(({ title }) => title === 'Self time, by part')
    expect(parts?.columns.filter((column) => column.endsWith(': main thread'))).toHaveLength(3)
    const features = run.tables.find(({ title }) => title.startsWith('Features'))
    expect(features?.rows.map(([, relative]) => relative)[0]).toBe('1.00 ×')
    expect(features?.rows).toHaveLength(4)
    expect(stdout).toContain('Overview with 200 requests, relative to 20')

    const template = readFileSync(join(import.meta.dirname, 'performance.template.md'), 'utf8')
    const page = formatPage(template, run)
    expect(page).not.toMatch(/^\{\w+\}$/m)
    for (const name of GOALS) expect(page).toContain(`| ${name} |`)
  },
  TIMEOUT_MS,
)
