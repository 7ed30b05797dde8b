import { expect, test } from 'vitest'
import { z } from 'zod'
import { startCommandHost } from '../../../cli/testing/command-host.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { GatewayClient } from '../../../host/gateway-client.ts'

let id = ''
const command = await forFile(startCommandHost())
const client = new GatewayClient(command.host.dataDir)
const { secret } = await client.call('createKey', { body: { name: 'ci', scope: 'completions-only' } })
const response = await fetch(`${command.baseUrl}/v1/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Hello' }] }),
})
id = z.object({ id: z.string() }).parse(await response.json()).id

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
  expect(stdout).toMatch(new RegExp(`^Receipt +${month}, .*not over yet\n`))
  expect(stdout).toMatch(/^Total .*\$0\.00$/m)
  expect(await command.tollgate('receipt', id, '--month', month)).toMatchObject({ code: 2 })
})
