import { expect, test } from 'vitest'
import { createGatewayCalls } from './gateway-calls.ts'

test.each([
  ['{}', 200],
  ['no JSON', 200],
  ['<html>', 502],
])(
  'a program that answers %s with %i instead of Tollgate is reported in a sentence',
  async (body, status) => {
    const calls = createGatewayCalls(
      () => 'http://127.0.0.1:1',
      async () => new Response(body, { status }),
    )
    const sentence = 'What answered is not Tollgate, or another version of it.'
    await expect(calls.models()).rejects.toThrow(sentence)
    await expect(calls.createKey('Codex', null)).rejects.toThrow(sentence)
  },
)

test('a refusal has the message of the gateway', async () => {
  const body = JSON.stringify({ error: { type: 'permission_error', message: 'This key is read-only.' } })
  const calls = createGatewayCalls(
    () => null,
    async () => new Response(body, { status: 403 }),
  )
  await expect(calls.revokeKey('key_1')).rejects.toThrow('This key is read-only.')
})
