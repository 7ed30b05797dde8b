// Setups that are refused, or cannot be undone, leave everything unchanged.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TempHome } from './testing/temp-home.ts'

let temp: TempHome
beforeEach(() => {
  temp = new TempHome()
})
afterEach(() => temp.remove())

it('a file that can no longer be read is left with its backup, and can be undone later', async () => {
  temp.write('.claude/settings.json', '{ "a": 1 }')
  await temp.apply('claude-code')
  const good = temp.read('.claude/settings.json')
  temp.write('.claude/settings.json', `${good}}}}`)
  const failed = await temp.setups.undo('claude-code')
  expect(failed.files[0]).toMatchObject({ outcome: 'failed' })
  expect(failed.files[0]?.problem).toMatch(/not valid JSON.*backup is .*tool-backups/)
  expect(failed.keyRevoked).toBe(false)
  temp.write('.claude/settings.json', good)
  expect((await temp.setups.undo('claude-code')).files[0]?.outcome).toBe('restored')
  expect(temp.read('.claude/settings.json')).toBe('{ "a": 1 }')
})

it('what is not as it was previewed is not written', async () => {
  temp.write('.claude/settings.json', '{}')
  const { reviewed } = await temp.setups.preview({ tool: 'claude-code', model: null, mcp: false })
  temp.write('.claude/settings.json', '{ "b": 2 }')
  const request = {
    tool: 'claude-code',
    model: null,
    mcp: false,
    reviewed,
    keyName: 'x',
    spendLimitUsd: null,
  }
  await expect(temp.setups.apply(request)).rejects.toThrow(/changed since you looked/)
  expect(temp.read('.claude/settings.json')).toBe('{ "b": 2 }')
  expect(temp.gateway.created).toEqual([])
})

it('nothing is written if another program changes a file meanwhile, and the key is revoked', async () => {
  temp.write('.codex/config.toml', 'a = 1\n')
  temp.write('.codex/.env', 'A=1\n')
  // The key is created between the check of the preview and the writing.
  temp.gateway.onCreate = () => temp.write('.codex/.env', 'A=2\n')
  await expect(temp.apply('codex')).rejects.toThrow(/changed since you looked/)
  expect(temp.read('.codex/.env')).toBe('A=2\n')
  expect(temp.read('.codex/config.toml')).toBe('a = 1\n')
  expect(temp.gateway.revoked).toEqual(['key_1'])
})

it('a failure to write puts everything back and revokes the key', async () => {
  temp.write('.codex/config.toml', 'a = 1\n')
  // The record of the setup cannot be written.
  temp.gateway.onCreate = () => mkdirSync(join(temp.root, 'data/tool-setups.json.new/x'), { recursive: true })
  await expect(temp.apply('codex')).rejects.toThrow()
  expect(temp.read('.codex/config.toml')).toBe('a = 1\n')
  expect(existsSync(temp.path('.codex/.env'))).toBe(false)
  expect(temp.gateway.revoked).toEqual(['key_1'])
  expect(temp.setups.list()).toEqual([])
})

it('needs a gateway that listens, and a tool of the table', async () => {
  await expect(temp.setups.preview({ tool: '../../etc/passwd', model: null, mcp: false })).rejects.toThrow(
    /cannot set up/,
  )
  temp.gateway.address = null
  await expect(temp.setups.preview({ tool: 'codex', model: null, mcp: false })).rejects.toThrow(
    /not listening/,
  )
  await expect(temp.setups.undo('codex')).rejects.toThrow(/has not set this tool up/)
})

it('a damaged record is reported and not overwritten', async () => {
  const path = join(temp.dataDir, 'tool-setups.json')
  writeFileSync(path, '{')
  expect(() => temp.setups.list()).toThrow(/is damaged/)
  await expect(temp.apply('codex')).rejects.toThrow(/is damaged/)
  expect(readFileSync(path, 'utf8')).toBe('{')
})
