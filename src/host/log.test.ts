import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'
import { LOG_FILE } from '../shared/desktop/log-file.ts'
import { createHostLog } from './log.ts'

let dataDir = ''
let printed: string[] = []
const print = (line: string) => void printed.push(line)
const readLog = () => readFileSync(join(dataDir, LOG_FILE), 'utf8')
const readLines = () =>
  readLog()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

beforeEach(() => {
  dataDir = tempDirForTest()
  printed = []
})
afterEach(() => {
  chmodSync(dataDir, 0o700)
})

test('prints readable lines and writes the same as JSON to a private file', async () => {
  const log = createHostLog(print)
  log.openFile(dataDir)
  log.info('Listening on http://127.0.0.1:8655')
  log.child({ requestId: 'req_1' }).error('Unexpected error', { err: new TypeError('boom') })
  await log.close()
  expect(printed[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z info Listening on http:\/\/127\.0\.0\.1:8655$/)
  expect(printed[1]).toMatch(/Z error Unexpected error: TypeError: boom \[req_1\]\n {6,}at /)
  expect(readLines()).toMatchObject([
    { level: 'info', msg: 'Listening on http://127.0.0.1:8655' },
    {
      level: 'error',
      msg: 'Unexpected error',
      requestId: 'req_1',
      err: { type: 'TypeError', message: 'boom', stack: expect.stringContaining('log.test.ts') },
    },
  ])
  expect(statSync(join(dataDir, LOG_FILE)).mode & 0o777).toBe(0o600)
  expect(statSync(join(dataDir, 'logs')).mode & 0o777).toBe(0o700)
})

test('leaves out lines below its level', async () => {
  const log = createHostLog(print)
  log.debug('hidden')
  expect(log.isLevelEnabled('debug')).toBe(false)
  log.setLevel('debug')
  log.debug('shown', { method: 'GET', path: '/v1/models', status: 200 })
  expect(log.isLevelEnabled('debug')).toBe(true)
  log.setLevel('error')
  log.warn('hidden')
  expect(printed).toEqual([expect.stringMatching(/ debug shown method=GET path=\/v1\/models status=200$/)])
})

test('rotates the file and deletes the oldest', async () => {
  for (let number = 0; number < 5; number += 1) {
    const log = createHostLog(() => {})
    log.openFile(dataDir, { size: '1K', files: 3 })
    log.info(`line ${number} ${'x'.repeat(1024)}`)
    await log.close()
  }
  expect(readdirSync(join(dataDir, 'logs')).sort()).toEqual([
    'tollgate.1.log',
    'tollgate.2.log',
    'tollgate.log',
  ])
  for (const name of readdirSync(join(dataDir, 'logs'))) {
    expect(statSync(join(dataDir, 'logs', name)).mode & 0o777).toBe(0o600)
  }
  expect(readFileSync(join(dataDir, 'logs/tollgate.1.log'), 'utf8')).toContain('line 4')
})

test('appends to the file of an earlier run', async () => {
  for (const message of ['first', 'second']) {
    const log = createHostLog(print)
    log.openFile(dataDir)
    log.info(message)
    await log.close()
  }
  expect(readLines().map(({ msg }) => msg)).toEqual(['first', 'second'])
})

test('writes queued lines when the process cannot wait', () => {
  const log = createHostLog(print)
  log.openFile(dataDir)
  log.error('The ledger can no longer be written')
  log.flushSync()
  expect(readLog()).toContain('The ledger can no longer be written')
})

test('keeps printing when the file cannot be opened, and reports it once', async () => {
  writeFileSync(join(dataDir, 'logs'), 'a file where the folder should be')
  const log = createHostLog(print)
  log.openFile(dataDir)
  log.info('one')
  log.info('two')
  log.flushSync()
  await log.close()
  expect(printed.filter((line) => line.includes('cannot be written'))).toHaveLength(1)
  expect(printed.filter((line) => / info (one|two)$/.test(line))).toHaveLength(2)
})

test('keeps printing when a write fails', async () => {
  mkdirSync(join(dataDir, 'logs', 'tollgate.log'), { recursive: true })
  const log = createHostLog(print)
  log.openFile(dataDir)
  log.info('one')
  await expect.poll(() => printed.some((line) => line.includes('cannot be written'))).toBe(true)
  log.info('two')
  await log.close()
  expect(printed.at(-1)).toContain('info two')
})

test('removes what looks like a key, also after an escape, and the text that JSON.parse quotes', async () => {
  const log = createHostLog(print)
  log.openFile(dataDir)
  const secret = `sk-proj-${'a1'.repeat(20)}`
  log.warn(`upstream said:\n${secret}`)
  let syntaxError: unknown
  try {
    JSON.parse('the prompt of a user')
  } catch (error) {
    syntaxError = error
  }
  log.error('Unexpected error', { err: new Error(`bad key ${secret}`, { cause: syntaxError }) })
  await log.close()
  const text = readLog() + printed.join('\n')
  expect(text).not.toContain(secret)
  expect(text).not.toContain('prompt of')
  expect(readLines()[1]).toMatchObject({ err: { cause: { type: 'SyntaxError' } } })
})

test('redacts fields that should never be logged', async () => {
  const log = createHostLog(print)
  log.openFile(dataDir)
  const fields = { headers: { authorization: 'Bearer canary' }, body: 'canary', secret: 'canary' }
  log.info('a mistake', fields as object)
  await log.close()
  expect(readLog() + printed.join('\n')).not.toContain('canary')
})
