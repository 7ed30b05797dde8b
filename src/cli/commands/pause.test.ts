import { expect, test } from 'vitest'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { Account } from '../../shared/api/account.ts'
import { KeyMetadata } from '../../shared/api/keys.ts'
import { startCommandHost } from '../testing/command-host.ts'

const command = await forFile(startCommandHost())
const { client } = command
const key = await client.call('createKey', { body: { name: 'ci', scope: 'completions-only' } })
const { tollgate } = command

async function chat(content: string, more = {}): Promise<Response> {
  return fetch(`${command.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content }], ...more }),
  })
}

async function refusal(): Promise<unknown> {
  const response = await chat('Hi')
  const { error } = JSON.parse(await response.text())
  return [response.status, error?.code, error?.message]
}

test('everything is paused and resumed, and --json prints the account', async () => {
  expect(await tollgate('pause')).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'Everything is paused: no request is sent to a model. Running requests finish. To go on: tollgate resume\n',
  })
  expect(await refusal()).toEqual([403, 'paused', expect.any(String)])
  const resumed = await tollgate('resume', '--json')
  expect(Account.parse(JSON.parse(resumed.stdout)).pausedAt).toBeNull()
  expect((await chat('Hi')).status).toBe(200)
})

test('a key is paused with a reason, stays so when everything is resumed, and goes on by name', async () => {
  const paused = await tollgate('pause', 'ci', '--reason', 'over budget', '--json')
  expect(KeyMetadata.parse(JSON.parse(paused.stdout))).toMatchObject({
    id: key.id,
    pauseReason: 'over budget',
  })
  expect(await refusal()).toEqual([403, 'key_paused', expect.stringContaining('over budget')])
  expect((await tollgate('resume')).stderr).toBe(
    'Requests go on. Still paused: ci. To let one go on: tollgate resume KEY\n',
  )
  await tollgate('pause')
  expect((await tollgate('resume', 'ci')).stderr).toMatch(/ci .* goes on\. But everything is paused/)
  await tollgate('resume')
  expect((await chat('Hi')).status).toBe(200)
})

test.each([[['pause']], [['pause', 'ci']]])('%j with --end ends a request that runs', async (args) => {
  const answer = await chat('[[sandbox:stall]] Tell me a story.', { stream: true })
  const { stderr } = await tollgate(...args, '--end')
  expect(stderr).toContain('Running requests were ended.')
  expect(await answer.text()).toMatch(/paused/)
  await tollgate('resume')
  await tollgate('resume', 'ci')
})

test('a pause of nothing known, and a reason for everything, say what to do', async () => {
  const unknown = await tollgate('pause', 'unknown')
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    'tollgate: There is no key “unknown”. List them: tollgate keys\n',
  ])
  expect(await tollgate('pause', '--reason', 'x')).toMatchObject({ code: 2 })
})
