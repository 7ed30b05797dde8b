import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TempHome } from './testing/temp-home.ts'

let temp: TempHome
beforeEach(() => {
  temp = new TempHome()
})
afterEach(() => temp.remove())

it('a symbolic link stays, and its target is written', async () => {
  temp.write('dotfiles/claude.json', '{ "a": 1 }')
  mkdirSync(temp.path('.claude'))
  symlinkSync('../dotfiles/claude.json', temp.path('.claude/settings.json'))
  await temp.apply('claude-code')
  expect(lstatSync(temp.path('.claude/settings.json')).isSymbolicLink()).toBe(true)
  expect(temp.read('dotfiles/claude.json')).toContain('ANTHROPIC_BASE_URL')
  await temp.setups.undo('claude-code')
  expect(temp.read('dotfiles/claude.json')).toBe('{ "a": 1 }')
})

it('nothing outside the home folder is written', async () => {
  mkdirSync(join(temp.root, 'elsewhere'))
  symlinkSync(join(temp.root, 'elsewhere'), temp.path('.claude'))
  expect(await temp.problems('claude-code')).toEqual([expect.stringContaining('outside your home folder')])
  temp.withVariables({ CODEX_HOME: join(temp.root, 'elsewhere') })
  expect((await temp.problems('codex'))[0]).toContain('outside your home folder')
  await expect(temp.apply('codex')).rejects.toThrow(/cannot be written/)
  expect(readdirSync(join(temp.root, 'elsewhere'))).toEqual([])
})

it.each([
  ['a dangling link', () => symlinkSync('nowhere', temp.path('.aider.conf.yml')), /does not exist/],
  ['a read-only file', () => chmodSync(temp.write('.aider.conf.yml', ''), 0o444), /read-only/],
  ['a folder', () => mkdirSync(temp.path('.aider.conf.yml')), /not a file/],
  ['a hard link', () => linkSync(temp.write('other', ''), temp.path('.aider.conf.yml')), /hard links/],
  ['a huge file', () => temp.write('.aider.conf.yml', '#'.repeat(2 ** 20 + 1)), /larger than/],
  ['bytes', () => writeFileSync(temp.path('.aider.conf.yml'), Buffer.from([0xff, 0xfe, 0])), /UTF-8/],
  ['broken YAML', () => temp.write('.aider.conf.yml', 'a: ['), /not valid YAML/],
])('%s is not touched, with the reason', async (_, prepare, reason) => {
  prepare()
  expect(await temp.problems('aider')).toEqual([expect.stringMatching(reason)])
  await expect(temp.apply('aider')).rejects.toThrow(reason)
  expect(temp.gateway.created).toEqual([])
})

it('uses the folders that variables name, and the existing one of several names', async () => {
  temp.withVariables({ CODEX_HOME: temp.path('my-codex'), XDG_CONFIG_HOME: temp.path('conf') })
  await temp.apply('codex')
  expect(temp.read('my-codex/config.toml')).toContain('wire_api')
  temp.write('conf/opencode/opencode.jsonc', '// mine\n{}\n')
  await temp.apply('opencode')
  expect(temp.read('conf/opencode/opencode.jsonc')).toMatch(/^\/\/ mine\n\{\n {2}"provider"/)
  temp.withVariables({ CLAUDE_CONFIG_DIR: temp.path('my-claude') })
  await temp.apply('claude-code', ['mcp'])
  expect(temp.read('my-claude/.claude.json')).toContain('mcpServers')
})
