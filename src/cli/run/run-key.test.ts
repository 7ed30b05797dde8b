import { expect, onTestFinished, test, vi } from 'vitest'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { startCommandHost } from '../testing/command-host.ts'

const command = await forFile(startCommandHost())
await command.tollgate('keys', 'create', 'ci')
const { data } = await command.client.call('listKeys')

test.each([
  ['keys create mine --scope admin', 1],
  ['keys update ci --cap 100', 1],
  ['keys update ci --no-strict', 1],
  ['resume ci', 1],
  ['keys revoke ci --yes', 1],
  ['resume', 1],
  ['approve', 1],
  ['restore tollgate-20261122T170842123Z-7.db', 1],
  ['admin-key', 1],
  ['setup codex', 1],
  ['run --cap 100 -- true', 1],
  ['keys', 0],
  ['keys show ci', 0],
  ['approve --list', 0],
  ['setup codex --dry-run', 0],
  ['pause', 0],
])('in a command of tollgate run, tollgate %s ends with %i', async (line, code) => {
  vi.stubEnv('TOLLGATE_RUN_KEY', 'tg-of-the-run')
  onTestFinished(() => void vi.unstubAllEnvs())
  const ended = await command.tollgate(...line.split(' '))
  const refusal = expect.stringContaining('Do it in another terminal.')
  expect([ended.code, ended.stderr]).toEqual([
    code,
    code === 0 ? expect.not.stringContaining('tollgate:') : refusal,
  ])
  expect((await command.client.call('listKeys')).data).toEqual(data)
})
