import { expect, test } from 'vitest'
import { startCommandHost } from '../../../cli/testing/command-host.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'

const { tollgate } = await forFile(startCommandHost())

test('a ready rule is added, tried, turned on and deleted', async () => {
  expect((await tollgate('rules')).stdout).toBe('There are no rules.\n')
  const added = await tollgate('rules', 'add', 'side-calls', '--model', 'sandbox-small')
  const id = /^(rule_\w+) is added, and off: Side calls use sandbox-small\.\n$/.exec(added.stderr)?.[1] ?? ''
  expect((await tollgate('rules')).stdout).toMatch(
    new RegExp(`^ID .*\n${id} +off +Side calls use sandbox-small\\.`),
  )
  expect((await tollgate('rules', 'try', id)).stdout).toBe('There are no requests to try it on.\n')
  expect((await tollgate('rules', 'shadow', id)).stderr).toContain('only records what it would do')
  const on = await tollgate('rules', 'on', id, '--json')
  expect(JSON.parse(on.stdout)).toMatchObject({ id, mode: 'on', name: 'Small model for side calls' })
  expect((await tollgate('rules', 'delete', id)).stderr).toBe(`${id} is deleted.\n`)
  expect(await tollgate('rules', 'off', id)).toMatchObject({ code: 1 })
})

test('what is missing is named', async () => {
  expect((await tollgate('rules', 'add', 'step-down')).stderr).toContain('--model')
  expect((await tollgate('rules', 'add', 'nothing')).stderr).toContain('--rule')
  expect((await tollgate('rules', 'on')).stderr).toContain('Give the id')
  const rule = JSON.stringify({ do: [{ kind: 'effort', atMost: 'low' }] })
  expect((await tollgate('rules', 'try', '--rule', rule)).stdout).toContain('no requests to try it on')
})
