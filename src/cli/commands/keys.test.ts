import { expect, test } from 'vitest'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { KeyCreated, KeyMetadata } from '../../shared/api/keys.ts'
import { startCommandHost } from '../testing/command-host.ts'

const command = await forFile(startCommandHost())
const { tollgate } = command

test('keys are created, changed and revoked by name, and refused calls show the message of the gateway', async () => {
  const created = await tollgate(
    'keys',
    'create',
    'ci',
    '--cap',
    '5',
    '--limit',
    '1/day',
    '--models',
    'a,b',
    '--strict',
    '--json',
  )
  const { id } = KeyCreated.parse(JSON.parse(created.stdout))
  const changed = await tollgate('keys', 'update', 'ci', '--cap', 'none', '--json')
  expect(KeyMetadata.parse(JSON.parse(changed.stdout))).toMatchObject({
    id,
    spendLimitUsd: null,
    spendLimits: [{ usd: 1, per: 'day' }],
    strict: true,
    allowedModels: ['a', 'b'],
  })
  const freed = await tollgate(
    ...[
      'keys',
      'update',
      'ci',
      '--cap',
      '3',
      '--cap',
      'none',
      '--models',
      'all',
      '--expires',
      'never',
      '--no-strict',
      '--json',
    ],
  )
  expect(KeyMetadata.parse(JSON.parse(freed.stdout))).toMatchObject({
    spendLimitUsd: null,
    strict: false,
    allowedModels: null,
    expiresAt: null,
  })
  const cached = await tollgate('keys', 'update', 'ci', '--cache', '1h/8MB')
  expect(cached.stdout).toMatch(/^Cache +answers are repeated for 1 h 0 min, up to 8 MB$/m)
  const uncached = await tollgate('keys', 'update', 'ci', '--cache', 'none', '--json')
  expect(KeyMetadata.parse(JSON.parse(uncached.stdout)).responseCache).toBeNull()
  expect((await tollgate('keys', 'update', 'ci', '--cache', '90d')).stderr).toContain('up to 30 days')
  const secret = await tollgate('keys', 'create', '名前', '--tag', 'x')
  expect(secret.stdout).toMatch(/^tg-[\w-]{43}\n$/)
  const listed = (await tollgate('keys')).stdout.split('\n')
  // Wide characters take two columns, so the ids begin in the same one.
  expect((listed[1]?.indexOf('key_') ?? 0) + 2).toBe(listed[2]?.indexOf('key_'))

  expect(await tollgate('keys', 'revoke', 'ci')).toMatchObject({ code: 0 })
  expect((await tollgate('keys')).stdout).not.toContain(id)
  const refused = await tollgate('keys', 'update', id, '--cap', '1')
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toMatch(/^tollgate: .*revoked/)
})

test('without a gateway, a command says how to start one, with its own exit code', async () => {
  await command.stop()
  expect(await tollgate('keys')).toEqual({
    code: 6,
    stdout: '',
    stderr: 'tollgate: Tollgate is not running. Start the desktop app, or: tollgate serve\n',
  })
})

test.each([
  [['keys', 'create']],
  [['keys', 'create', 'x', '--cap', 'much']],
  [['keys', 'create', 'x', '--limit', '1/fortnight']],
  [['keys', 'create', 'x', '--expires', 'soon']],
  [['keys', 'update', 'x']],
  [['keys', '--everything']],
  [['run', '--expires', '2020-01-01', '--', 'ls']],
  [['unknown']],
  [['keys', 'sho']],
])('%j is bad usage', async (args) => {
  const { code, stderr } = await tollgate(...args)
  expect(code).toBe(2)
  expect(stderr).toMatch(/^tollgate: .*See tollgate (\w+ )?--help\.\n$/)
})
