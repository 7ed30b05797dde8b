import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { GatewayClient } from '../gateway-client.ts'
import { type CommandHost, startCommandHost } from '../testing/command-host.ts'

let command: CommandHost
let id = ''
beforeAll(async () => {
  command = await startCommandHost()
  const client = new GatewayClient(command.host.dataDir)
  const { secret } = await client.call('createKey', { body: { name: 'ci', scope: 'completions-only' } })
  const response = await fetch(`${command.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  id = z.object({ id: z.string() }).parse(await response.json()).id
})
afterAll(() => command.close())

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

test('receipt --verify needs no gateway, and finds every change', async () => {
  const { stdout } = await command.tollgate('receipt', id, '--json')
  const receipt = JSON.parse(stdout)
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-receipt-'))
  const file = join(dir, 'receipt.json')
  const verify = (text: string, ...args: string[]) => {
    writeFileSync(file, text)
    return command.tollgate('receipt', '--verify', file, '--data-dir', join(dir, 'no-gateway'), ...args)
  }
  const valid = await verify(stdout)
  expect(valid).toMatchObject({ code: 0, stdout: expect.stringContaining(`signed by ${receipt.issuer.id}`) })
  expect((await verify(stdout, '--issuer', receipt.issuer.id)).code).toBe(0)
  const other = await verify(stdout, '--issuer', 'somebody')
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('another installation') })
  const cheaper = JSON.stringify({ ...receipt, cost: { ...receipt.cost, usd: 0.5 } })
  expect(await verify(cheaper)).toMatchObject({ code: 1, stderr: expect.stringContaining('was changed') })
  expect(await verify('no json')).toMatchObject({ code: 1, stderr: expect.stringContaining('not a receipt') })
  expect(JSON.parse((await verify(stdout, '--json')).stdout)).toMatchObject({ valid: true, problem: null })
})
