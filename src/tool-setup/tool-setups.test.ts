import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configurableTools } from '../shared/tools/tool-table.ts'
import { TempHome } from './testing/temp-home.ts'

let temp: TempHome
beforeEach(() => {
  temp = new TempHome()
})
afterEach(() => temp.remove())

describe.each(configurableTools.map(({ id }) => id))('%s', (tool) => {
  it('is set up in an empty home folder, and nothing is left after undoing it', async () => {
    const outcome = await temp.apply(tool)
    expect(outcome.test).toEqual({ passed: true, message: 'fake' })
    const [setup] = temp.setups.list()
    expect(setup).toMatchObject({ tool, keyId: outcome.keyId })
    for (const path of setup?.paths ?? []) {
      const file = path.replace('~', temp.home)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(readFileSync(file, 'utf8')).not.toContain('tg-…')
    }
    const undone = await temp.setups.undo(tool)
    expect(undone).toEqual({ kept: [], problems: [], keyRevoked: true })
    expect(readdirSync(temp.home)).toEqual([])
    expect(temp.setups.list()).toEqual([])
  })
})

describe.each(configurableTools.filter(({ mcp }) => mcp).map(({ id }) => id))(
  '%s with the MCP server',
  (tool) => {
    it('gets its entry with the key of the tool, keeps the rest, and loses it when set up without it or undone', async () => {
      const readAll = () =>
        temp.setups.list()[0]?.paths.map((path) => readFileSync(path.replace('~', temp.home), 'utf8'))
      await temp.apply(tool)
      const plain = readAll()
      const { secret } = await temp.apply(tool, ['mcp'])
      // Zed's settings have no key that could be found and kept.
      expect(temp.gateway.created).toHaveLength(tool === 'zed' ? 2 : 1)
      expect(temp.setups.list()[0]?.extras).toEqual(['mcp'])
      const entry = readAll()?.find((text) => text.includes('/bin/tollgate'))
      expect(entry).toMatch(/mcp/)
      expect(entry).toContain(secret)
      expect(entry).toContain(temp.dataDir)

      await temp.apply(tool)
      expect(readAll()?.slice(0, plain?.length)).toEqual(plain)
      expect(readAll()?.join('')).not.toContain('/bin/tollgate')
      await temp.apply(tool, ['mcp'])
      expect((await temp.setups.undo(tool)).problems).toEqual([])
      expect(readdirSync(temp.home)).toEqual([])
    })
  },
)

it('a tool is offered only what it can have', async () => {
  expect(await temp.preview('aider', ['mcp'])).toMatchObject({ offers: [], choice: { extras: [] } })
  expect((await temp.preview('codex')).offers).toEqual(['mcp'])
  temp.write('.claude/.credentials.json', '{"claudeAiOauth":{"accessToken":"x"}}')
  expect((await temp.preview('claude-code')).offers).toEqual(['plan', 'mcp', 'git'])
})

it('the preview shows the changed lines, with nothing masked, and writes nothing', async () => {
  const text = '# mine\nmodel = "o3"\napi = "sk-visible"\n'
  temp.write('.codex/config.toml', text)
  const preview = await temp.setups.preview({ tool: 'codex', model: 'gpt-5.5', extras: [] })
  expect(preview).toMatchObject({ name: 'Codex', model: 'gpt-5.5', keyName: null })
  expect(preview.files[0]).toMatchObject({ path: '~/.codex/config.toml', exists: true, warnings: [] })
  const lines = preview.files[0]?.diff.map(({ kind, text: line }) => `${kind} ${line}`)
  expect(lines).toContain('removed model = "o3"')
  expect(lines).toContain('added model = "gpt-5.5"')
  expect(lines).toContain('same api = "sk-visible"')
  expect(preview.files[1]?.diff.map(({ text: line }) => line)).toEqual(['TOLLGATE_API_KEY=tg-…'])
  expect(temp.read('.codex/config.toml')).toBe(text)
  expect(temp.gateway.created).toEqual([])
})

it('a key is created with its name and cap, and undoing revokes it and restores the bytes', async () => {
  const text = '# mine\nmodel = "o3"   # good\n'
  const path = temp.write('.codex/config.toml', text)
  chmodSync(path, 0o640)
  await temp.apply('codex')
  expect(temp.gateway.created).toEqual([{ name: 'My tool', spendLimitUsd: 5 }])
  expect(temp.read('.codex/.env')).toBe('TOLLGATE_API_KEY=tg-1\n')
  expect(statSync(path).mode & 0o777).toBe(0o640)
  await temp.setups.undo('codex')
  expect(temp.read('.codex/config.toml')).toBe(text)
  expect(statSync(path).mode & 0o777).toBe(0o640)
  expect(existsSync(temp.path('.codex/.env'))).toBe(false)
  expect(temp.gateway.revoked).toEqual(['key_1'])
})

it('setting up again keeps the key and the way back', async () => {
  const text = '{ "theme": "dark" }\n'
  temp.write('.config/opencode/opencode.json', text)
  await temp.apply('opencode')
  expect((await temp.preview('opencode')).keyName).toBe('My tool')
  await temp.apply('opencode', [], 'm2')
  expect(JSON.parse(temp.read('.config/opencode/opencode.json'))).toMatchObject({ model: 'tollgate/m2' })
  expect(temp.gateway.created).toHaveLength(1)
  await temp.setups.undo('opencode')
  expect(temp.read('.config/opencode/opencode.json')).toBe(text)
  expect(temp.gateway.revoked).toEqual(['key_1'])
})

it('a revoked key is replaced', async () => {
  await temp.apply('codex')
  temp.gateway.revoked.push('key_1')
  await temp.apply('codex')
  expect(temp.read('.codex/.env')).toBe('TOLLGATE_API_KEY=tg-2\n')
})

it('a key that the user pasted is reused and not revoked', async () => {
  const { secret } = await temp.gateway.createKey('Pasted', null)
  temp.write('.codex/.env', `TOLLGATE_API_KEY=${secret}\n`)
  await temp.apply('codex')
  expect(temp.gateway.created).toHaveLength(1)
  expect((await temp.setups.undo('codex')).keyRevoked).toBe(false)
  expect(temp.read('.codex/.env')).toBe(`TOLLGATE_API_KEY=${secret}\n`)
})

it('undoing keeps what was changed since', async () => {
  temp.write('.codex/config.toml', 'model = "o3"\n')
  await temp.apply('codex')
  writeFileSync(
    temp.path('.codex/config.toml'),
    `# added\n${temp.read('.codex/config.toml').replace(/^model = .*$/m, 'model = "mine"')}`,
  )
  const undone = await temp.setups.undo('codex')
  expect(undone.kept).toEqual(['model in ~/.codex/config.toml'])
  expect(temp.read('.codex/config.toml')).toBe('# added\nmodel = "mine"\n')
})

it('a file that was removed since stays removed', async () => {
  await temp.apply('aider')
  rmSync(temp.path('.aider.conf.yml'))
  expect((await temp.setups.undo('aider')).problems).toEqual([])
  expect(readdirSync(temp.home)).toEqual([])
})

it('warns of a key in a file that others can read, and of a tool that was never started', async () => {
  chmodSync(temp.write('.codex/config.toml', ''), 0o644)
  expect((await temp.preview('codex')).files[0]?.warnings).toEqual([])
  chmodSync(temp.write('.claude/settings.json', '{}'), 0o644)
  expect((await temp.preview('claude-code')).files[0]?.warnings).toEqual([
    expect.stringMatching(/^Other users .* chmod 600 ~\/\.claude\/settings\.json$/),
  ])
  expect((await temp.preview('gemini')).files[0]?.warnings).toEqual([
    'The folder of Gemini CLI does not exist yet. Is the tool installed?',
  ])
})

it('no record contains the new secret, and the record is private', async () => {
  await temp.apply('claude-code')
  const path = join(temp.root, 'data/tool-setups.json')
  expect(readFileSync(path, 'utf8')).not.toContain('tg-1')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('with a plan the tool keeps its sign-in, the key comes in a header, and an earlier setup is replaced', async () => {
  await temp.apply('claude-code')
  expect(JSON.parse(temp.read('.claude/settings.json')).env).toHaveProperty('ANTHROPIC_AUTH_TOKEN')
  const { secret } = await temp.apply('claude-code', ['plan'])
  expect(JSON.parse(temp.read('.claude/settings.json')).env).toEqual({
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:8655',
    ANTHROPIC_CUSTOM_HEADERS: `x-tollgate-key: ${secret}`,
    CLAUDE_CODE_GATEWAY_HINT_HEADERS: '1',
  })
  expect(temp.gateway.plans).toEqual(['claude-plan'])
  expect((await temp.preview('claude-code', ['plan'])).keyName).toBe('My tool')
})

it('Codex with a plan gets no model, and reads its key from a variable', async () => {
  await temp.apply('codex', ['plan'])
  const config = temp.read('.codex/config.toml')
  expect(config).toContain('requires_openai_auth = true')
  expect(config).toContain('x-tollgate-key = "TOLLGATE_API_KEY"')
  expect(config).not.toMatch(/^model = |env_key/m)
  expect(temp.read('.codex/.env')).toBe('TOLLGATE_API_KEY=tg-1\n')
})

it('Claude Code gets hooks next to those of its user, and loses them when set up without them or undone', async () => {
  const own = { hooks: [{ type: 'command', command: 'lint' }] }
  const before = `${JSON.stringify({ hooks: { Stop: [own] } }, null, 2)}\n`
  temp.write('.claude/settings.json', before)
  const readHooks = () => JSON.parse(temp.read('.claude/settings.json')).hooks
  const command = `/bin/tollgate git-hook --data-dir ${temp.dataDir}`
  const ours = { hooks: [{ type: 'command', command }] }
  await temp.apply('claude-code', ['git'])
  await temp.apply('claude-code', ['git'])
  expect(readHooks()).toEqual({ SessionStart: [ours], Stop: [ours, own], SessionEnd: [ours] })
  await temp.apply('claude-code')
  expect(readHooks()).toEqual({ Stop: [own] })
  await temp.apply('claude-code', ['git'])
  await temp.setups.undo('claude-code')
  expect(temp.read('.claude/settings.json')).toBe(before)
})

// Setups that are refused, or cannot be undone, leave everything unchanged.
it('a file that can no longer be read is left with its backup, and can be undone later', async () => {
  temp.write('.claude/settings.json', '{ "a": 1 }')
  await temp.apply('claude-code')
  const good = temp.read('.claude/settings.json')
  temp.write('.claude/settings.json', `${good}}}}`)
  const failed = await temp.setups.undo('claude-code')
  expect(failed).toEqual({
    kept: [],
    problems: [expect.stringMatching(/settings\.json: .*not valid JSON.*backup is .*tool-backups/)],
    keyRevoked: false,
  })
  temp.write('.claude/settings.json', good)
  expect((await temp.setups.undo('claude-code')).problems).toEqual([])
  expect(temp.read('.claude/settings.json')).toBe('{ "a": 1 }')
})

it('what is not as it was previewed is not written', async () => {
  temp.write('.claude/settings.json', '{}')
  const { choice, reviewed } = await temp.preview('claude-code')
  temp.write('.claude/settings.json', '{ "b": 2 }')
  const request = { ...choice, reviewed, keyName: 'x', spendLimitUsd: null }
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
  await expect(temp.preview('../../etc/passwd')).rejects.toThrow(/cannot set up/)
  temp.gateway.address = null
  await expect(temp.preview('codex')).rejects.toThrow(/not listening/)
  await expect(temp.setups.undo('codex')).rejects.toThrow(/has not set this tool up/)
})

it('a record of an earlier version, which had no extras, is undone', async () => {
  temp.write('.codex/config.toml', '# mine\n')
  await temp.apply('codex', ['mcp'])
  const path = join(temp.dataDir, 'tool-setups.json')
  const { setups } = JSON.parse(readFileSync(path, 'utf8'))
  const [{ extras: _, ...record }] = setups
  const earlier = { ...record, at: '2026-11-01T09:00:00.000Z', model: 'm', mcp: true, git: false }
  writeFileSync(path, JSON.stringify({ setups: [earlier] }))
  expect(temp.setups.list()).toMatchObject([{ tool: 'codex', extras: [] }])
  await temp.setups.undo('codex')
  expect(temp.read('.codex/config.toml')).toBe('# mine\n')
})

it('a damaged record is reported and not overwritten', async () => {
  const path = join(temp.dataDir, 'tool-setups.json')
  writeFileSync(path, '{')
  expect(() => temp.setups.list()).toThrow(/is damaged/)
  await expect(temp.apply('codex')).rejects.toThrow(/is damaged/)
  expect(readFileSync(path, 'utf8')).toBe('{')
})
