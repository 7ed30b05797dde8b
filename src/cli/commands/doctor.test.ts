import { chmodSync } from 'node:fs'
import { expect, test } from 'vitest'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { startTestUpstream } from '../../gateway/upstream/testing/test-upstream.ts'
import type { Check } from '../../shared/desktop/checks.ts'
import { startCommandHost } from '../testing/command-host.ts'

const command = await forFile(startCommandHost())

/** Without the prices, whose age depends on the day of the test. */
async function examine(...args: string[]): Promise<{ code: number | null; checks: Check[] }> {
  const { code, stdout } = await command.tollgate('doctor', '--json', ...args)
  const checks: Check[] = JSON.parse(stdout)
  return { code, checks: checks.filter(({ name }) => name !== 'Prices') }
}

test('a sound installation needs nothing, and a provider that fails is found by a call', async () => {
  const sound = await examine()
  expect(sound.checks.filter(({ ok, advice }) => !ok || advice !== null)).toEqual([])
  expect(sound.checks.map(({ name }) => name)).toEqual([
    'Version',
    'Updates',
    'Last runs',
    'Data folder',
    'Disk',
    'Socket',
    'Gateway',
    'Port',
    'Network',
    'Credentials',
    'Clock',
    'Database',
    'Requests',
    'sandbox',
  ])
  const upstream = await startTestUpstream((exchange) => exchange.reply(401, { error: { message: 'no' } }))
  const body = { apiFormat: 'openai-chat', baseUrl: upstream.url, credential: 'wrong' } as const
  await command.client.call('putProvider', { params: { id: 'acme' }, body })
  const { code, checks } = await examine('--test')
  await upstream.close()
  expect(code).toBe(1)
  expect(checks.filter(({ ok }) => !ok)).toMatchObject([{ name: 'acme', advice: expect.any(String) }])
})

test('what keeps the command from the gateway is said in plain lines', async () => {
  await command.host.gateway.stopListening()
  expect((await examine()).checks.find(({ ok }) => !ok)).toMatchObject({ name: 'Port' })
  chmodSync(command.host.dataDir, 0o755)
  const open = await command.tollgate('doctor')
  expect(open.stdout).toMatch(/^✗ Data folder .* can be read by others\n +Run: chmod 700 /m)
  expect(open.stdout).toMatch(/^✗ Socket/m)
  expect(open.stderr).toContain('2 things need your attention.')
  chmodSync(command.host.dataDir, 0o700)
  await command.stop()
  expect((await command.tollgate('doctor')).stdout).toMatch(/^✗ Socket .*not running\n.*tollgate serve/m)
})
