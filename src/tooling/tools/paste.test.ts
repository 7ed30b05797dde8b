import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { buildSnippets } from '../../renderer/parts/snippets/build-snippets.ts'
import { createScript, writeFiles } from './paste.ts'
import { runBounded } from './run-bounded.ts'

const input = { baseUrl: 'http://127.0.0.1:8655/v1', secret: 'tg-secret', model: 'm' }
const getText = (id: string, model = 'm') => {
  const text = buildSnippets({ ...input, model }).find((snippet) => snippet.id === id)
  if (!text) throw new Error(`there is no text for ${id}`)
  return text
}

let dir = ''
/** Programs that print their arguments and their environment. */
const stubs = ['aider', 'cline', 'copilot', 'curl', 'open-webui']
const STUB = `#!/usr/bin/env bash
printf '%s\\0' "$@"
printf '\\0'
env --null
`
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tollgate-paste-'))
  mkdirSync(join(dir, 'bin'))
  for (const name of stubs) writeFileSync(join(dir, 'bin', name), STUB, { mode: 0o755 })
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const TIMEOUT_MS = 20_000

const runScript = (script: string) =>
  runBounded(script, {
    cwd: dir,
    env: { PATH: [join(dir, 'bin'), process.env.PATH ?? ''].join(delimiter) },
    timeoutMs: TIMEOUT_MS,
  })

async function calledWith(id: string, model: string) {
  const { code, output } = await runScript(createScript(getText(id, model), null))
  expect(code, output).toBe(0)
  const [given = '', env = ''] = output.split('\0\0')
  return { given: given.split('\0'), env: env.split('\0') }
}

describe.each(['@cf/meta/llama-3.1-8b-instruct', "it's", 'a b;c', '$HOME `x` $(y)', 'a "b" \\'])(
  'in a shell, a model named %j arrives as it is',
  (model) => {
    it('as an argument', async () => {
      expect((await calledWith('cline', model)).given).toContain(model)
      expect((await calledWith('aider', model)).given).toEqual(['--model', `openai/${model}`])
      const { given } = await calledWith('curl', model)
      expect(JSON.parse(given.at(-1) ?? '').model).toBe(model)
    })

    it('as a variable', async () => {
      const { env } = await calledWith('copilot', model)
      expect(env).toEqual(
        expect.arrayContaining([
          `COPILOT_PROVIDER_BASE_URL=${input.baseUrl}`,
          `COPILOT_PROVIDER_API_KEY=${input.secret}`,
          `COPILOT_MODEL=${model}`,
        ]),
      )
    })
  },
)

it('writes files to the paths in their titles, in the home folder or in the project', () => {
  const place = { home: join(dir, 'home'), project: join(dir, 'project') }
  for (const id of ['continue', 'opencode', 'cline', 'node']) writeFiles(getText(id), place)
  expect(readFileSync(join(place.home, '.continue/config.yaml'), 'utf8')).toContain('apiBase')
  expect(readFileSync(join(place.home, '.config/opencode/opencode.json'), 'utf8')).toContain('baseURL')
  expect(readFileSync(join(place.project, 'hello.mjs'), 'utf8')).toContain('baseURL')
})

it('replaces an interactive program by the question, and appends the question to a setup command', () => {
  expect(createScript(getText('copilot'), ['copilot', '-p', "It's"]).split('\n').slice(-2)).toEqual([
    'export COPILOT_MODEL=m',
    `'copilot' '-p' 'It'\\''s'`,
  ])
  expect(createScript(getText('cline'), ['cline', 'Hi']).split('\n')).toHaveLength(2)
})

it('kills a script after the time limit, with its processes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const pipe = join(dir, 'pipe')
  execFileSync('mkfifo', [pipe])
  const ended = runScript(`sleep 600 > '${pipe}' & sleep 600`)
  // Opening waits for the process that writes, and reading ends when no process has it open for writing.
  const reader = await open(pipe)
  vi.advanceTimersByTime(TIMEOUT_MS)
  await reader.readFile()
  await reader.close()
  expect(await ended).toMatchObject({ code: null })
})

it('does not wait for background processes of a script', async () => {
  expect(await runScript('sleep 600 & echo done')).toEqual({ code: 0, output: 'done\n' })
})
