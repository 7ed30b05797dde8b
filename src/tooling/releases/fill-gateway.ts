// The use of a release before it is killed: a bit of everything that its data folder keeps.
import type { ReleaseFacts, ReleaseKey } from '../../gateway/store/testing/releases.ts'
import { type Answer, expectOk, type TestClient } from '../../gateway/testing/gateway.ts'

type UsedFacts = Pick<ReleaseFacts, 'keys' | 'idempotent' | 'stored'>

export async function fillGateway(client: TestClient): Promise<UsedFacts> {
  await expectOk(client.call('PATCH', '/v1/settings', { body: { storeBodies: true } }))
  await expectOk(client.call('PATCH', '/v1/account', { body: { monthlyLimitUsd: 25 } }))
  const pricing = { inputPerMillion: 3, outputPerMillion: 15 }
  const house = { provider: 'sandbox', upstreamModel: 'sandbox-large', pricing }
  await expectOk(client.call('PUT', '/v1/models/house-model', { body: house }))
  await addProvider(client)

  const keys = {
    roomy: await createKey(client, { name: 'Roomy', scope: 'full', spendLimitUsd: 5, rpmLimit: 60 }),
    tight: await createKey(client, { name: 'Tight', scope: 'completions-only', spendLimitUsd: 0.0005 }),
    spent: await createKey(client, { name: 'Spent', scope: 'full', spendLimitUsd: 0.000001 }),
    uncapped: await createKey(client, { name: 'Uncapped · Ключ', scope: 'full', tpmLimit: 1_000_000 }),
    revoked: await createKey(client, { name: 'Revoked', scope: 'read-only' }),
  }
  await expectOk(client.call('DELETE', `/v1/keys/${keys.revoked.id}`))

  const say = (as: string, content: string, more: Record<string, unknown> = {}) =>
    client.chat({ messages: [{ role: 'user', content }], ...more }, { as, headers: CLIENT })
  const { roomy, tight, spent, uncapped } = keys
  const stored = await expectOk(say(roomy.secret, 'A prompt that is stored [[sandbox:echo Stored answer]]'))
  await expectOk(say(roomy.secret, 'Three hundred [[sandbox:tokens 300]]', { model: 'sandbox-large' }))
  await expectOk(say(roomy.secret, 'By the house', { model: 'house-model', stream: true }))
  await expectOk(say(uncapped.secret, 'No usage [[sandbox:no-usage]]'))
  await expectOk(say(uncapped.secret, 'Stream', { stream: true, stream_options: { include_usage: true } }))
  await say(roomy.secret, 'Wrong [[sandbox:error 400]]')
  await say(uncapped.secret, 'Broken [[sandbox:cut]]', { stream: true }).catch(() => null)
  for (const _ of [1, 2, 3]) await say(tight.secret, 'Up to the cap [[sandbox:tokens 100]]')
  await expectOk(say(spent.secret, 'Past its cap'))
  const refused = await say(spent.secret, 'Refused')
  if (refused.status !== 402) throw new Error(`A spent key was not refused: ${refused.status}`)

  const body = JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Once only' }] })
  const headers = { ...CLIENT, 'idempotency-key': 'order-1' }
  const once = await expectOk(
    client.call('POST', '/v1/chat/completions', { as: roomy.secret, body, headers }),
  )
  return { keys, idempotent: { body, answer: once.text }, stored: { id: readRequestId(stored) } }
}

/** Leaves a stream that is open when the gateway is killed. Returns the id of its request. */
export async function leaveRunning(client: TestClient, as: string): Promise<string> {
  const messages = [{ role: 'user', content: 'Still running [[sandbox:tokens 100]] [[sandbox:stall]]' }]
  const response = await fetch(`${client.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json', ...CLIENT },
    body: JSON.stringify({ model: 'sandbox-small', messages, stream: true }),
  })
  // The gateway is killed while this is read.
  response.text().catch(() => null)
  return response.headers.get('x-service-request-id') ?? ''
}

const CLIENT = { 'user-agent': 'OpenAI/JS 7.55.0' }

/** Its API format had another name before 0.2. */
async function addProvider(client: TestClient): Promise<void> {
  const body = { name: 'Acme', baseUrl: 'http://127.0.0.1:9/v1', credential: 'acme-secret', enabled: false }
  for (const format of [{ apiFormat: 'openai-chat' }, { wire: 'openai' }]) {
    const { status } = await client.call('PUT', '/v1/providers/acme', { body: { ...body, ...format } })
    if (status === 200) return
  }
  throw new Error('The provider was refused.')
}

async function createKey(client: TestClient, body: Record<string, unknown>): Promise<ReleaseKey> {
  const { id, secret } = await client.createKey(body)
  return { id, secret }
}

function readRequestId({ headers }: Answer): string {
  return headers.get('x-service-request-id') ?? ''
}
