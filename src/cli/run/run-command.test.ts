import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { getEnd, spawnProgram } from '../../gateway/testing/program.ts'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { startCommandHost } from '../testing/command-host.ts'
import { RunSignals, runChild } from './child.ts'
import type { RunReceipt } from './receipt.ts'

const command = await forFile(startCommandHost())

/** Lines of a program that calls a model as a client would, with nothing but its environment. */
const CHAT = `
const chat = (content, more = {}) => fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content }], ...more }),
})`

function agent(...lines: string[]): string[] {
  return ['--', process.execPath, '--input-type=module', '-e', [CHAT, ...lines].join('\n')]
}

/** Newest first. */
async function listKeys() {
  return (await command.client.call('listKeys')).data
}

/** Starts a run whose command prints a line when it has set itself up. */
async function startRun(...args: string[]) {
  const child = spawnProgram(['run', ...args], { env: command.env })
  const ended = getEnd(child)
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return { child, ended }
}

test('the command has a capped key of its project, and its own exit code; then the key is revoked', async () => {
  const cwd = tempDirForTest()
  mkdirSync(join(cwd, '.git'))
  writeFileSync(join(cwd, '.git/config'), '[remote "origin"]\n\turl = git@example.org:ann/shop.git\n')
  const args = agent(
    `for (const model of ['sandbox-small', 'sandbox-small', 'sandbox-large']) await chat('Hi', { model })`,
    `const refused = await chat('Hi', { model: 'other' })`,
    `const seen = [refused.status, process.env.ANTHROPIC_API_KEY ?? null, process.argv.slice(1)]`,
    `process.getBuiltinModule('fs').writeFileSync(${JSON.stringify(join(cwd, 'seen.json'))}, JSON.stringify(seen))`,
    'process.exit(7)',
  )
  const { client } = command
  const provider = { apiFormat: 'openai-chat', baseUrl: 'http://127.0.0.1:1/v1' } as const
  await client.call('putProvider', { params: { id: 'unused' }, body: provider })
  await client.call('putModel', { params: { id: 'other' }, body: { provider: 'unused' } })
  const place = { cwd, env: { ANTHROPIC_API_KEY: 'of-another-account' } }
  const options = ['--cap', '2', '--strict', '--allow-models', 'sandbox-small,sandbox-large']
  const file = join(cwd, 'r.json')
  const all = [...options, '--receipt', file, ...args, '--', '--cap']
  const { code, stderr } = await command.tollgateIn(place, 'run', ...all)
  expect(code).toBe(7)
  expect(stderr).toMatch(
    /, project shop\n {2}Time .*\n {2}Requests {2}4 \(1 refused\)\n {2}Tokens .*\n {2}Models {4}\$/,
  )
  expect(JSON.parse(readFileSync(join(cwd, 'seen.json'), 'utf8'))).toEqual([403, null, ['--cap']])

  const receipt: RunReceipt = JSON.parse(readFileSync(file, 'utf8'))
  expect(receipt).toMatchObject({ exitCode: 7, tag: 'shop', requests: 4, refused: 1, running: 0, capUsd: 2 })
  expect(receipt.models.map(({ model, requests }) => [model, requests])).toEqual([
    ['sandbox-large', 1],
    ['sandbox-small', 2],
  ])
  expect(receipt.tokens.output).toBeGreaterThan(0)
  const [key] = await listKeys()
  expect(key).toMatchObject({
    id: receipt.keyId,
    scope: 'completions-only',
    spendLimitUsd: 2,
    strict: true,
    spendUsd: receipt.costUsd,
    tag: 'shop',
    revokedAt: expect.any(String),
  })
  const hours = (Date.parse(key?.expiresAt ?? '') - Date.parse(receipt.startedAt)) / 3_600_000
  expect(hours).toBeCloseTo(24, 1)
})

test('a signal goes to the command, which decides how it ends, with its own output', async () => {
  const { child, ended } = await startRun(
    ...agent(
      `process.on('SIGTERM', async () => { await chat('Bye'); process.exit(9) })`,
      `setInterval(() => {}, 1000); console.log('ready')`,
    ),
  )
  child.kill('SIGTERM')
  const { code, stdout, stderr } = await ended
  expect([code, stdout]).toEqual([9, 'ready\n'])
  expect(stderr).toMatch(/Requests {2}1\n/)
  expect((await listKeys())[0]?.revokedAt).not.toBeNull()
})

test.each(['SIGINT', 'SIGHUP'] as const)('%s goes to the command, too', async (signal) => {
  const signals = new RunSignals()
  signals.release()
  const listen = vi.spyOn(signals, 'listen')
  const ready = join(tempDirForTest(), 'ready')
  const code = `process.on('${signal}', () => process.exit(9))
    setInterval(() => {}, 1000); process.getBuiltinModule('fs').writeFileSync(${JSON.stringify(ready)}, '')`
  const child = { command: process.execPath, args: ['-e', code], env: command.env }
  const ended = runChild(child, signals)
  await expect.poll(() => existsSync(ready)).toBe(true)
  listen.mock.lastCall?.[0](signal)
  expect(await ended).toEqual({ code: 9, signal: null, problem: null })
})

test('a command that crashes while a request runs: the request is settled, and the signal is passed on', async () => {
  const { ended } = await startRun(
    ...agent(
      `const answer = await chat('[[sandbox:stall]] Tell me a story.', { stream: true })`,
      `await answer.body.getReader().read()`,
      `console.log('streaming')`,
      `process.kill(process.pid, 'SIGTERM')`,
    ),
  )
  const { code, signal, stderr } = await ended
  expect([code, signal]).toEqual([null, 'SIGTERM'])
  expect(stderr).toMatch(/Requests {2}1 \(1 with an estimated cost\)/)
  const [key] = await listKeys()
  expect(key).toMatchObject({ reservedUsd: 0, revokedAt: expect.any(String) })
})

test('a second SIGTERM ends a command that ignores the first', async () => {
  const { child, ended } = await startRun(
    ...agent(
      `process.on('SIGTERM', () => console.log('no'))`,
      `setInterval(() => {}, 1000); console.log('ready')`,
    ),
  )
  const refusal = new Promise((resolve) => child.stdout?.once('data', resolve))
  child.kill('SIGTERM')
  await refusal
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: null, signal: 'SIGKILL' })
  expect((await listKeys())[0]?.revokedAt).not.toBeNull()
})

test('when Tollgate is stopped meanwhile, the run says so, and when its key ends; then nothing can be started', async () => {
  const go = join(tempDirForTest(), 'go')
  const wait = `const { existsSync } = process.getBuiltinModule('fs')
    setInterval(() => existsSync(${JSON.stringify(go)}) && process.exit(4), 10)`
  const ended = command.tollgate('run', '--expires', '90m', ...agent(wait))
  await expect
    .poll(async () => (await listKeys())[0])
    .toMatchObject({ revokedAt: null, lastUsedAt: expect.any(String) })
  await command.stop()
  writeFileSync(go, '')
  const { code, stderr } = await ended
  expect(code).toBe(4)
  expect(stderr).toContain('There is no receipt. Tollgate was stopped meanwhile.')
  expect(stderr).toMatch(/could not be revoked.* It ends by itself at 20\d\d-/)
  expect(await command.tollgate('run', ...agent(`console.log('started')`))).toMatchObject({
    code: 6,
    stdout: '',
  })
})
