import { expect, test } from 'vitest'
import { startCommandHost } from '../../../cli/testing/command-host.ts'
import { testClient } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { Approval } from '../api/approvals.ts'

const command = await forFile(startCommandHost())
const { client } = command
const { tollgate } = command

/** A key whose limit its first request uses up, and the next one, which waits at it. */
async function startWaiting(name: string) {
  const spendLimits = [{ usd: 0.000_000_1, per: 'day', action: 'ask' }] as const
  const { secret } = await client.call('createKey', {
    body: { name, scope: 'full', spendLimits: [...spendLimits] },
  })
  const chat = async () => (await testClient(command.baseUrl, secret).chat({})).status
  expect(await chat()).toBe(200)
  const answer = chat()
  await expect
    .poll(async () => (await client.call('listApprovals')).data.map(({ keyName }) => keyName))
    .toContain(name)
  return { answer }
}

test('more is allowed, two dollars if no amount is given, and --json prints the question', async () => {
  const first = await startWaiting('ci')
  expect((await tollgate('approve', '--list')).stderr).toMatch(
    /^wait_\S+ {2}ci asks to spend more\. .* A request from node to sandbox-small waits\. /,
  )
  expect(await tollgate('approve')).toEqual({ code: 0, stdout: '', stderr: 'ci may spend $2.00 more.\n' })
  expect(await first.answer).toBe(200)
  const second = await startWaiting('agent')
  const { stdout } = await tollgate('approve', '--usd', '5', '--json')
  expect(Approval.parse(JSON.parse(stdout))).toMatchObject({ state: 'allowed', keyName: 'agent' })
  expect(await second.answer).toBe(200)
})

test('of several questions one is named; once and stop answer them', async () => {
  const one = await startWaiting('one')
  const two = await startWaiting('two')
  const several = await tollgate('approve')
  expect([several.code, several.stderr]).toEqual([1, expect.stringContaining('Give the id of one')])
  const { data } = await client.call('listApprovals')
  const findId = (name: string) => data.find(({ keyName }) => keyName === name)?.waiter ?? expect.fail(name)
  expect((await tollgate('approve', findId('one'), '--once')).stderr).toBe('one goes on with one request.\n')
  expect((await tollgate('approve', findId('two'), '--stop')).stderr).toBe('two is stopped.\n')
  expect([await one.answer, await two.answer]).toEqual([200, 402])
  expect((await tollgate('approve')).stderr).toContain('Nothing waits for an answer now.')
})
