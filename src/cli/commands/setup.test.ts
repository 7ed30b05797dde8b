import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { listen } from '../../gateway/testing/listen.ts'
import { tempDirForFile, tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { startCommandHost } from '../testing/command-host.ts'

const root = tempDirForFile()
mkdirSync(join(root, 'home/.codex'), { recursive: true })
const command = await forFile(startCommandHost())
const { client } = command

/** Nothing of the environment of the user who runs the tests, which could name files of their own tools. */
const nothing = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]))
const { PATH } = process.env

function tollgate(args: string[]) {
  const env = { ...nothing, PATH, HOME: join(root, 'home') }
  return command.tollgateIn({ env: { ...env, TOLLGATE_DATA_DIR: command.host.dataDir } }, ...args)
}

const config = () => join(root, 'home/.codex/config.toml')
const environment = () => join(root, 'home/.codex/.env')
const keys = async () => (await client.call('listKeys')).data.filter(({ purpose }) => purpose === 'user')

test('setup writes the files with a new key that works, and --undo takes all of it back', async () => {
  writeFileSync(config(), '# mine\napproval_policy = "never"\n')
  const dry = await tollgate(['setup', 'codex', '--dry-run'])
  expect(dry).toMatchObject({ code: 0, stderr: '' })
  expect(dry.stdout).toContain('+model_provider = "tollgate"')
  expect(await keys()).toEqual([])

  const done = await tollgate(['setup', 'codex', '--cap', '2.5', '--name', 'My Codex'])
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toContain('Codex is set up. The key works, and sandbox-small is available.')
  const [, secret] = /^TOLLGATE_API_KEY=(tg-[\w-]+)\n$/.exec(readFileSync(environment(), 'utf8')) ?? []
  expect(done.stdout).not.toContain(secret)
  expect(readFileSync(config(), 'utf8')).toContain(`base_url = "${command.baseUrl}/v1"`)
  expect(await keys()).toMatchObject([{ name: 'My Codex', scope: 'completions-only', spendLimitUsd: 2.5 }])

  const undone = await tollgate(['setup', 'codex', '--undo'])
  expect(undone).toMatchObject({ code: 0, stderr: '' })
  expect(undone.stdout).toBe('The setup of Codex is undone. The key of Codex is revoked.\n')
  expect(readFileSync(config(), 'utf8')).toBe('# mine\napproval_policy = "never"\n')
  expect(existsSync(environment())).toBe(false)
  expect((await keys())[0]?.revokedAt).not.toBeNull()
})

test('while Tollgate is stopped, no one who has taken its port gets a key', async () => {
  const received: unknown[] = []
  const stranger = createServer((request, response) => {
    received.push(request.headers.authorization)
    response.end('{}')
  })
  const port = await listen(stranger)
  onTestFinished(() => void stranger.close())
  const dataDir = tempDirForTest()
  // The file as a crash leaves it.
  const lock = { pid: 1, program: 'serve', baseUrl: `http://127.0.0.1:${port}` }
  writeFileSync(join(dataDir, 'lock.json'), JSON.stringify(lock))
  const { code, stderr } = await tollgate(['setup', 'codex', '--data-dir', dataDir])
  expect([code, stderr]).toEqual([6, expect.stringContaining('Tollgate is not running.')])
  expect(received).toEqual([])
})

test('a file that cannot be read is left, with a reason', async () => {
  writeFileSync(config(), 'a = [')
  const { code, stdout } = await tollgate(['setup', 'codex'])
  expect(code).toBe(1)
  expect(stdout).toContain('~/.codex/config.toml is not changed. It is not valid TOML')
  expect(readFileSync(config(), 'utf8')).toBe('a = [')
  expect(existsSync(environment())).toBe(false)
  rmSync(config())
})

test.each([
  [['setup'], 2, /Missing required argument 'tool'/],
  [['setup', 'emacs'], 2, /Allowed choices are claude-code, codex/],
  [['setup', 'codex', '--cap', 'x'], 2, /Give an amount in USD/],
  [['setup', 'codex', '--undo'], 1, /has not set this tool up/],
  [['setup', 'codex', '--data-dir', '/nonexistent'], 6, /Tollgate is not running\. .*tollgate serve/],
  [['setup', 'aider', '--mcp'], 1, /Aider has no place for --mcp/],
])('%j fails with %i', async (args, code, message) => {
  const result = await tollgate(args)
  expect(result.code).toBe(code)
  expect(result.stderr).toMatch(message)
})

test('the MCP server gets the key of the tool', async () => {
  const { code, stdout, stderr } = await tollgate(['setup', 'codex', '--mcp'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('+[mcp_servers.tollgate]')
  const [, secret = ''] = /^TOLLGATE_API_KEY=(tg-[\w-]+)\n$/.exec(readFileSync(environment(), 'utf8')) ?? []
  expect(readFileSync(config(), 'utf8')).toContain(`TOLLGATE_API_KEY = "${secret}"`)
  expect(await tollgate(['setup', 'codex', '--undo'])).toMatchObject({ code: 0, stderr: '' })
})

test.skipIf(process.platform === 'win32')(
  'a file that others can read comes with the command that prevents it',
  async () => {
    const path = join(root, 'home/.claude/settings.json')
    mkdirSync(join(root, 'home/.claude'))
    writeFileSync(path, '{}', { mode: 0o644 })
    const { stdout } = await tollgate(['setup', 'claude-code', '--dry-run'])
    expect(stdout).toContain('To prevent that: chmod 600 ~/.claude/settings.json')
  },
)

test('an option that it does not have is refused in one sentence', async () => {
  const { code, stderr } = await tollgate(['setup', 'codex', '--yes'])
  expect([code, stderr]).toEqual([2, "tollgate: Unknown option '--yes'. See tollgate setup --help.\n"])
})

test('while Tollgate is stopped, a setup can be undone, but for its key', async () => {
  writeFileSync(config(), '# mine\n')
  expect(await tollgate(['setup', 'codex'])).toMatchObject({ code: 0, stderr: '' })
  await command.stop()
  expect(await tollgate(['setup', 'codex'])).toMatchObject({ code: 6 })
  const undone = await tollgate(['setup', 'codex', '--undo'])
  expect(undone).toMatchObject({ code: 0, stdout: 'The setup of Codex is undone. No key was revoked.\n' })
  expect(readFileSync(config(), 'utf8')).toBe('# mine\n')
})
