import { expect, test } from 'vitest'
import { startCommandHost } from '../../../cli/testing/command-host.ts'
import { testClient } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'

const command = await forFile(startCommandHost())
const { client } = command
const { secret } = await client.call('createKey', { body: { name: 'ci', scope: 'completions-only' } })
const { id } = (await testClient(command.baseUrl, secret).chat({})).json

test('receipt prints the cost line by line, and names only with --names', async () => {
  const { code, stdout } = await command.tollgate('receipt', id)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Receipt +req_/)
  expect(stdout).toMatch(/Input +[\d,]+ tokens × \$0\.50 per million +\$0\.0\d+\n/)
  expect(stdout).toMatch(/Total +\$0\.0\d+\n/)
  expect(stdout).not.toMatch(/\bci\b/)
  expect((await command.tollgate('receipt', id, '--names')).stdout).toMatch(/^Key +ci$/m)
  expect(await command.tollgate('receipt', 'req_none')).toMatchObject({ code: 1 })
})

test('receipt --month prints the sum of a month', async () => {
  const month = new Date().toISOString().slice(0, 7)
  const { code, stdout } = await command.tollgate('receipt', '--month', month)
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^Receipt +${month}\n`))
  expect(stdout).toMatch(/^Note +The month was not over/m)
  expect(stdout).toMatch(/^Total .*\$0\.00$/m)
  expect(await command.tollgate('receipt', id, '--month', month)).toMatchObject({ code: 2 })
})
