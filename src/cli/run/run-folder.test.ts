import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import type { RunTarget } from './environment.ts'
import { createRunFolder } from './run-folder.ts'

let home = ''
let target: RunTarget
beforeEach(() => {
  home = tempDirForTest()
  const dataDir = join(home, 'data')
  target = {
    baseUrl: 'http://127.0.0.1:8655/v1',
    secret: 'tg-s',
    keyId: 'key_1',
    dataDir,
    models: [],
    model: 'm',
    plan: false,
  }
})

function write(path: string, text: string): string {
  const at = join(home, path)
  mkdirSync(join(at, '..'), { recursive: true })
  writeFileSync(at, text)
  return at
}

const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

test('a tool that reads files gets its own folder with the provider of the run in it, which ends with the run', () => {
  write('.pi/agent/settings.json', '{"defaultModel": "other", "theme": "dark"}')
  write('.pi/agent/sessions/one.jsonl', 'a session')
  write('.cline/data/settings/providers.json', '{"version": 1, "lastUsedProvider": "cline", "providers": {}}')
  write('.cline/data/settings/other.json', '{"a": 1}')
  const { variables, remove } = createRunFolder(target, { HOME: home })
  const pi = variables.PI_CODING_AGENT_DIR ?? ''
  expect(JSON.parse(read(pi, 'settings.json'))).toEqual({
    defaultModel: 'm',
    theme: 'dark',
    defaultProvider: 'tollgate',
  })
  expect(JSON.parse(read(pi, 'models.json')).providers.tollgate).toMatchObject({ apiKey: 'tg-s' })
  writeFileSync(join(pi, 'sessions/two.jsonl'), 'another')
  const cline = variables.CLINE_DIR ?? ''
  expect(JSON.parse(read(cline, 'data/settings/providers.json'))).toMatchObject({
    lastUsedProvider: 'openai-compatible',
    providers: { 'openai-compatible': { settings: { apiKey: 'tg-s', baseUrl: target.baseUrl } } },
  })
  expect(read(cline, 'data/settings/other.json')).toBe('{"a": 1}')
  expect(read(variables.CONTINUE_GLOBAL_DIR ?? '', 'config.yaml')).toContain('apiKey: "tg-s"')
  expect(JSON.parse(read(variables.CRUSH_GLOBAL_CONFIG ?? '', 'crush.json')).models.large).toEqual({
    provider: 'tollgate',
    model: 'm',
  })
  expect(statSync(join(pi, '..')).mode & 0o077).toBe(0)
  expect(statSync(join(pi, 'models.json')).mode & 0o077).toBe(0)

  remove()
  expect(existsSync(pi)).toBe(false)
  // The user's own files are as they were, and what the tool has stored is with them.
  expect(read(home, '.pi/agent/sessions/two.jsonl')).toBe('another')
  expect(read(home, '.pi/agent/settings.json')).toContain('"other"')
})

test('a folder that the user has chosen by its variable is the one that is used; a broken file is replaced in the run only', () => {
  const own = join(home, 'elsewhere')
  write('elsewhere/settings.json', '{ broken')
  write('elsewhere/AGENTS.md', 'Be brief.')
  const { variables } = createRunFolder(target, { HOME: home, PI_CODING_AGENT_DIR: own })
  const pi = variables.PI_CODING_AGENT_DIR ?? ''
  expect(read(pi, 'AGENTS.md')).toBe('Be brief.')
  expect(JSON.parse(read(pi, 'settings.json'))).toEqual({ defaultProvider: 'tollgate', defaultModel: 'm' })
  expect(read(own, 'settings.json')).toBe('{ broken')
})

test('Gemini CLI and Qwen Code are signed in with the key, whatever the user’s settings say', () => {
  const company = write('company.json', '{"telemetry": {"enabled": false}}')
  const { variables } = createRunFolder(target, { HOME: home, GEMINI_CLI_SYSTEM_SETTINGS_PATH: company })
  const settings = read(variables.GEMINI_CLI_SYSTEM_SETTINGS_PATH ?? '')
  expect(JSON.parse(settings)).toEqual({
    telemetry: { enabled: false },
    security: { auth: { selectedType: 'gemini-api-key' } },
    model: { name: 'm' },
  })
  expect(settings).not.toContain('tg-s')
  expect(JSON.parse(read(variables.QWEN_CODE_SYSTEM_SETTINGS_PATH ?? ''))).toEqual({
    security: { auth: { selectedType: 'openai' } },
    model: { name: 'm' },
  })
})

test.runIf(process.platform !== 'win32')('a script that starts codex starts it with the overrides', () => {
  const real = write("bin of 'ann'/codex", '#!/bin/sh\nfor word in "$@"; do echo "$word"; done\n')
  chmodSync(real, 0o755)
  const parent = { HOME: home, PATH: `${join(real, '..')}:${process.env.PATH}` }
  const folder = createRunFolder(target, parent)
  expect(folder.wraps('codex')).toBe(true)
  expect(folder.wraps(real)).toBe(false)
  const env = { ...parent, ...folder.variables }
  const { stdout } = spawnSync('sh', ['-c', 'codex exec "two words"'], { env, encoding: 'utf8' })
  expect(stdout.split('\n')).toEqual([
    '-c',
    'model="m"',
    '-c',
    'web_search="disabled"',
    '-c',
    'model_provider="tollgate"',
    '-c',
    expect.stringMatching(/^model_providers.tollgate=\{.*env_key="TOLLGATE_RUN_KEY"/),
    'exec',
    'two words',
    '',
  ])
  expect(stdout).not.toContain('tg-s')
})

test('what a run that was killed has left is removed after two days', () => {
  const left = createRunFolder(target, { HOME: home }).variables.CLINE_DIR ?? ''
  const folder = join(left, '..')
  createRunFolder({ ...target, keyId: 'key_2' }, { HOME: home })
  expect(existsSync(folder)).toBe(true)
  const before = new Date(Date.now() - 49 * 3_600_000)
  utimesSync(folder, before, before)
  createRunFolder({ ...target, keyId: 'key_3' }, { HOME: home })
  expect(existsSync(folder)).toBe(false)
})

test('without a codex on the PATH, the PATH stays as it is', () => {
  const folder = createRunFolder(target, { HOME: home, PATH: home })
  expect(folder.variables).not.toHaveProperty('PATH')
  expect(folder.wraps('codex')).toBe(false)
})
