import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { GatewayClient } from '../../host/gateway-client.ts'
import { startCommandHost } from '../testing/command-host.ts'

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

test('receipt --month prints the sum of a month, which can be verified', async () => {
  const month = new Date().toISOString().slice(0, 7)
  const { code, stdout } = await command.tollgate('receipt', '--month', month)
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^Receipt +${month}, .*not over yet\n`))
  expect(stdout).toMatch(/^Total .*\$0\.00$/m)
  const file = join(mkdtempSync(join(tmpdir(), 'tollgate-receipt-')), 'month.json')
  writeFileSync(file, (await command.tollgate('receipt', '--month', month, '--json')).stdout)
  const verified = await command.tollgate('receipt', '--verify', file)
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('Valid: nothing was changed') })
  expect(await command.tollgate('receipt', id, '--month', month)).toMatchObject({ code: 2 })
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

/** JSON with the members of each object in order, as RFC 8785 asks for. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/** A receipt with these members, as another installation would sign it. */
function forge(receipt: object, software: string, request: object): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { kty, crv, x } = publicKey.export({ format: 'jwk' })
  const id = createHash('sha256').update(canonicalJson({ kty, crv, x })).digest('base64url')
  const issuer = { id, publicKey: { kty, crv, x }, software }
  const unsigned = { ...receipt, issuer, request, signature: undefined }
  const signature = sign(null, Buffer.from(canonicalJson(unsigned)), privateKey).toString('base64url')
  return JSON.stringify({ ...unsigned, signature })
}

test('a receipt of someone else cannot control the terminal', async () => {
  const receipt = JSON.parse((await command.tollgate('receipt', id, '--json')).stdout)
  const file = join(mkdtempSync(join(tmpdir(), 'tollgate-receipt-')), 'receipt.json')
  const verify = async (software: string, request: object, ...args: string[]) => {
    writeFileSync(file, forge(receipt, software, { ...receipt.request, ...request }))
    return command.tollgate('receipt', '--verify', file, ...args)
  }
  const hostile = '\u001b[1A\rSigned by SOMEBODY\u009b2K\u202eevil\u202c'
  const names = { key: hostile, client: hostile, tag: hostile }
  for (const args of [[], ['--json']]) {
    const shown = await verify(
      'Tollgate 0.1.0',
      { names, requestedModel: hostile, provider: hostile },
      ...args,
    )
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('Signed by SOMEBODY') })
    expect(shown.stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
  }
  for (const software of [hostile, 'x'.repeat(101)]) {
    expect(await verify(software, {})).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('issuer.software'),
    })
  }
})
