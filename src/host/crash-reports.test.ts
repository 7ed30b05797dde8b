import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'
import { formatCrash } from '../shared/desktop/crashes.ts'
import {
  crashDir,
  describeError,
  dumpDir,
  MAX_REPORTS,
  markCrashesSeen,
  readCrashes,
  removeCrash,
  takeDumps,
  watchRun,
} from './crash-reports.ts'

let dataDir = ''
beforeEach(() => {
  dataDir = tempDirForTest()
})

const begin = (tookDump = false) => watchRun(dataDir, { program: 'serve', version: '1.2.3' }, () => tookDump)

test('a run that ends in order leaves nothing to report', () => {
  const first = begin()
  expect(first.lastCrash).toBeNull()
  first.end()
  expect(begin().lastCrash).toBeNull()
  expect(readCrashes(dataDir)).toEqual([])
})

test('a run that was ended by force is reported at the next start, until it was seen', () => {
  begin()
  const second = begin()
  expect(second.lastCrash).toMatchObject({ kind: 'stopped', program: 'serve', version: '1.2.3', seen: false })
  second.end()
  expect(begin().lastCrash?.kind).toBe('stopped')
  markCrashesSeen(dataDir)
  rmSync(join(dataDir, 'running.json'))
  expect(begin().lastCrash).toBeNull()
  const [report] = readCrashes(dataDir)
  removeCrash(dataDir, report?.id ?? '')
  expect(readCrashes(dataDir)).toEqual([])
})

test('a crash of native code, and an error, are reported once', () => {
  begin()
  begin(true).end()
  expect(readCrashes(dataDir)).toMatchObject([
    { kind: 'native', summary: 'Tollgate crashed in native code.' },
  ])
  rmSync(crashDir(dataDir), { recursive: true })
  begin().recordError(new TypeError('x is not a function'))
  begin()
  const [report, ...others] = readCrashes(dataDir)
  expect(others.map(({ kind }) => kind)).toEqual([])
  expect(report).toMatchObject({
    kind: 'error',
    details: expect.stringMatching(/^TypeError: x is not a function\n +at /),
  })
})

test('the newest reports are kept, and only for this user', () => {
  const run = begin()
  for (let at = 0; at < MAX_REPORTS + 3; at++)
    run.record({ kind: 'window', summary: `Crash ${at}`, details: 'x'.repeat(at) })
  expect(readCrashes(dataDir)).toHaveLength(MAX_REPORTS)
  expect(readCrashes(dataDir)[0]?.summary).toBe(`Crash ${MAX_REPORTS + 2}`)
  expect(statSync(crashDir(dataDir)).mode & 0o077).toBe(0)
  for (const name of readdirSync(crashDir(dataDir)))
    expect(statSync(join(crashDir(dataDir), name)).mode & 0o077).toBe(0)
})

test('no secret and no text of a request is in a report', () => {
  const secret = `sk-${'a1'.repeat(20)}`
  const prompt = 'CANARY my private prompt'
  const thrown: unknown[] = [
    new Error(`The provider said "${prompt}" to ${secret}`),
    new Error(`Cannot read {"messages":[{"content":"${prompt}"}]}`),
    new Error(`Failed\n${prompt}`),
    new Error('outer', { cause: new Error(`inner '${prompt}' ${secret}`) }),
    new Error(`${'x '.repeat(200)}${prompt}`),
    new Error(prompt),
    new TypeError(`Cannot read properties of undefined (reading '${prompt}')`),
    prompt,
  ]
  try {
    JSON.parse(`${prompt} {`)
  } catch (error) {
    thrown.push(error)
  }
  const run = begin()
  for (const error of thrown) run.recordError(error)
  const stored = readdirSync(crashDir(dataDir)).map((name) =>
    readFileSync(join(crashDir(dataDir), name), 'utf8'),
  )
  const copied = readCrashes(dataDir).map(formatCrash)
  expect(copied).toHaveLength(thrown.length)
  for (const text of [...stored, ...copied, ...thrown.map(describeError)]) {
    expect(text).not.toContain('CANARY')
    expect(text).not.toContain('a1a1a1')
  }
})

test('all dumps are removed, even one that is gone already', () => {
  expect(takeDumps(dataDir)).toBe(false)
  const dir = join(dumpDir(dataDir), 'completed')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'old.dmp'), 'memory')
  symlinkSync(join(dir, 'moved'), join(dir, 'gone.dmp'))
  expect(takeDumps(dataDir)).toBe(true)
  expect(readdirSync(dir)).toEqual([])
})
