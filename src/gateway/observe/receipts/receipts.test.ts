import { generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Receipt } from '../../../shared/api/receipts.ts'
import { addNano, scaleNano } from '../../../shared/money/cost-lines.ts'
import { createMemoryCredentials, startTestGateway, type TestGateway } from '../../testing/gateway.ts'
import { canonicalJson, publicKey, thumbprint } from './public-key.ts'
import { verifyReceipt } from './verify-receipt.ts'

let tollgate: TestGateway
beforeEach(async () => {
  tollgate = await startTestGateway()
})
afterEach(() => tollgate.close())

const getReceipt = async (id: string, query = ''): Promise<Receipt> =>
  (await tollgate.call('GET', `/v1/requests/${id}/receipt${query}`)).json

async function makeReceipt(): Promise<Receipt> {
  const { json } = await tollgate.chat({ messages: [{ role: 'user', content: 'the sentinel prompt' }] })
  return await getReceipt(json.id)
}

it('itemizes the charge to the last digit, and says how it was priced', async () => {
  const { json } = await tollgate.chat({})
  const receipt = await getReceipt(json.id)
  const { cost } = receipt
  expect(receipt.request).toMatchObject({ id: json.id, model: 'sandbox-small', names: null })
  expect(cost).toMatchObject({ status: 'exact', confirmation: null, otherNano: null })
  expect(cost.nano).toBe(Math.round(json.usage.cost * 1e9))
  expect(cost.lines.map(({ billed }) => billed)).toEqual(['input', 'output'])
  const parts = [...cost.lines.map(({ nano }) => nano), cost.roundingNano]
  expect(addNano(parts)).toBe(scaleNano(cost.nano ?? 0))
  expect(receipt.price).toMatchObject({ origin: { source: 'builtin', match: 'exact' } })
  expect(receipt.attempts).toMatchObject([{ provider: 'sandbox', httpStatus: 200, failed: false }])
})

it('can be verified elsewhere, and no member can be changed, added or left out', async () => {
  const receipt = await makeReceipt()
  expect(verifyReceipt(JSON.parse(JSON.stringify(receipt)))).toMatchObject({ valid: true, problem: null })
  const changed: string[] = []
  for (const path of listPaths(receipt)) {
    for (const damage of [setTo('tampered'), setTo(4711), remove]) {
      const copy: Record<string, unknown> = JSON.parse(JSON.stringify(receipt))
      damage(copy, path)
      if (verifyReceipt(copy).valid) changed.push(path.join('.'))
    }
  }
  expect(changed).toEqual([])
  expect(verifyReceipt({ ...receipt, extra: 1 })).toMatchObject({ valid: false })
  expect(verifyReceipt({ ...receipt, cost: { ...receipt.cost, note: 'paid' } }).valid).toBe(false)
})

/** Signs a receipt with another key, as its owner could. */
function signAgain({ signature: _, ...receipt }: Receipt): Record<string, unknown> & Pick<Receipt, 'issuer'> {
  const { privateKey, publicKey: key } = generateKeyPairSync('ed25519')
  const jwk = publicKey(key.export({ format: 'jwk' }).x ?? '')
  const sold = { ...receipt, issuer: { ...receipt.issuer, publicKey: jwk, id: thumbprint(jwk) } }
  return {
    ...sold,
    signature: sign(null, Buffer.from(canonicalJson(sold)), privateKey).toString('base64url'),
  }
}

it('is invalid if its amount in USD is not that in nano-dollars, although it is signed', async () => {
  const receipt = await makeReceipt()
  const { cost } = receipt
  expect(verifyReceipt(signAgain(receipt)).valid).toBe(true)
  const problem = expect.stringContaining('do not add up')
  for (const changed of [{ usd: 999 }, { usd: null }, { nano: null, usd: 999 }]) {
    const check = verifyReceipt(signAgain({ ...receipt, cost: { ...cost, ...changed } }))
    expect([changed, check]).toMatchObject([changed, { valid: false, problem }])
  }
})

it('re-signed with another key, it is valid but names another issuer', async () => {
  const receipt = await makeReceipt()
  const sold = signAgain(receipt)
  const { json } = await tollgate.call('POST', '/v1/receipts/verify', { body: sold })
  expect(json).toMatchObject({ valid: true, issuedHere: false, issuerId: sold.issuer.id })
  const mixed = { ...sold, issuer: { ...sold.issuer, id: receipt.issuer.id } }
  expect(verifyReceipt(mixed)).toMatchObject({
    valid: false,
    problem: expect.stringContaining('not that of its public key'),
  })
})

it('says who signs, and recognizes its own receipts', async () => {
  const receipt = await makeReceipt()
  const install = (await tollgate.call('GET', '/v1/install')).json
  expect(install).toMatchObject({ id: receipt.issuer.id, storedIn: 'file', earlier: [] })
  expect(install.publicKey).toEqual(receipt.issuer.publicKey)
  const verify = (body: unknown) => tollgate.call('POST', '/v1/receipts/verify', { body })
  expect((await verify(receipt)).json).toMatchObject({ valid: true, issuedHere: true })
  expect((await verify({ hello: 'world' })).json).toMatchObject({
    valid: false,
    problem: 'This is not a receipt of Tollgate.',
    receipt: null,
  })
})

it('has no prompt, no key and no name unless they are requested', async () => {
  const { id, secret } = await tollgate.createKey({ name: 'Payroll agents', scope: 'full' })
  const { json } = await tollgate.chat(
    { messages: [{ role: 'user', content: 'the sentinel prompt [[sandbox:error 400]]' }] },
    { as: secret, headers: { 'x-title': 'Secret project' } },
  )
  expect(json.error.message).toContain('400')
  const [record] = await tollgate.records()
  const plain = await getReceipt(record?.id ?? '')
  for (const text of ['sentinel', id, secret, 'Payroll', 'Secret project'])
    expect(JSON.stringify(plain)).not.toContain(text)
  expect(plain.request).toMatchObject({ status: 'failed', errorType: 'invalid_request_error' })
  const named = await getReceipt(record?.id ?? '', '?names=true')
  expect(named.request.names).toEqual({ key: 'Payroll agents', client: 'Secret project', tag: null })
  expect(named.request.keyHash).toBe(plain.request.keyHash)
})

it('the private key is in the keychain, or else in a file of the user alone, and survives a restart', async () => {
  const receipt = await makeReceipt()
  const path = join(tollgate.dataDir, 'receipt-key.json')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const memory = createMemoryCredentials()
  const entries = new Map<string, string>()
  const credentials = {
    ...memory,
    kind: 'keychain' as const,
    get: async (account: string) => entries.get(account) ?? null,
    set: async (account: string, secret: string) => void entries.set(account, secret),
  }
  const { d } = JSON.parse(readFileSync(path, 'utf8'))
  const { dataDir, admin } = tollgate
  await tollgate.gateway.close()
  tollgate = await startTestGateway({ dataDir, admin, credentials })
  const install = (await tollgate.call('GET', '/v1/install')).json
  // A key that was in a file moves to the keychain.
  expect(install).toMatchObject({ id: receipt.issuer.id, storedIn: 'keychain' })
  expect(() => statSync(path)).toThrow()
  expect([...entries.values()].join()).toContain(d)
  // One that is lost is replaced, and its receipts are still recognized.
  entries.clear()
  await tollgate.restart()
  const next = (await tollgate.call('GET', '/v1/install')).json
  expect(next.id).not.toBe(install.id)
  expect(next.earlier).toMatchObject([{ id: install.id }])
  const { json } = await tollgate.call('POST', '/v1/receipts/verify', { body: receipt })
  expect(json).toMatchObject({ valid: true, issuedHere: true })
})

it('canonical JSON does not depend on the order of members, and loses nothing', () => {
  expect(canonicalJson({ b: [1e21, 0.000_001, -0], a: '\u20ac\u0007"', '\u00e9': null })).toBe(
    '{"a":"€\\u0007\\"","b":[1e+21,0.000001,0],"é":null}',
  )
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(canonicalJson(JSON.parse(text))).toBe(text)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
  expect(() => canonicalJson('\ud800')).toThrow(TypeError)
})

type Path = readonly (string | number)[]

/** Lists the paths of every value inside. */
function listPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, member]) => listPaths(member, [...path, name]))
}

function findParent(root: Record<string, unknown>, path: Path): Record<string, unknown> {
  let at = root
  for (const step of path.slice(0, -1)) at = Object(at[step])
  return at
}

function setTo(value: unknown) {
  return (root: Record<string, unknown>, path: Path) => {
    findParent(root, path)[String(path.at(-1))] = value
  }
}

function remove(root: Record<string, unknown>, path: Path): void {
  delete findParent(root, path)[String(path.at(-1))]
}
