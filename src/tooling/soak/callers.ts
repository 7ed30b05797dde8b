import { setTimeout as delay } from 'node:timers/promises'
import type { TestClient } from '../../gateway/testing/gateway.ts'
import type { Random } from '../../gateway/testing/random.ts'
import { ErrorEnvelope } from '../../shared/api/errors.ts'
import type { Findings } from '../findings.ts'
import { parseJson } from '../fuzz/odd-values.ts'
import type { Client, ReceivedResponse } from './client.ts'
import { type Call, type Expectations, readReportedCost } from './expectations.ts'
import type { MisbehavingUpstream } from './upstream.ts'

/** Caps start small, so that they are reached, and are raised by the same amount. */
const CAP_USD = 0.004
const PLAIN_KEYS = 4
const CAPPED_KEYS = 3

/** Clients that send requests, disconnect, retry, revoke keys and raise caps until they are stopped. */
export interface Load {
  client: Client
  program: TestClient
  expectations: Expectations
  findings: Findings
  random: Random
  getUpstream(model: string): MisbehavingUpstream
  /** The gateway is about to be killed, or the clients are to stop. */
  stopped: boolean
}

/** Creates keys until there are enough of each kind, to replace those that were revoked. */
export async function fillKeys({ program, expectations }: Load): Promise<void> {
  const usable = (capped: boolean) =>
    expectations.keys.filter(
      ({ revocationRequested, highestCapUsd }) => !revocationRequested && (highestCapUsd !== null) === capped,
    ).length
  for (const [capped, wanted] of [
    [false, PLAIN_KEYS],
    [true, CAPPED_KEYS],
  ] as const) {
    while (usable(capped) < wanted) {
      const name = `${capped ? 'capped' : 'plain'} ${expectations.keys.length}`
      const cap = capped ? { spendLimitUsd: CAP_USD } : {}
      const { id, secret } = await program.createKey({ name, scope: 'completions-only', ...cap })
      expectations.keys.push({
        id,
        secret,
        highestCapUsd: capped ? CAP_USD : null,
        revocationRequested: false,
        revoked: false,
      })
    }
  }
}

/** One client: sends one random call after another. */
export async function callUntilStopped(load: Load): Promise<void> {
  while (!load.stopped) {
    const { random } = load
    if (random.chance(0.01)) await revokeOne(load)
    else if (random.chance(0.3)) await sendIdempotentCall(load)
    else await sendCall(load, newCall(load, null))
  }
}

function newCall({ expectations, random }: Load, idempotencyKey: string | null): Call {
  const tag = expectations.nextTag()
  const { id, secret, highestCapUsd } = random.any(
    expectations.keys.filter(({ revocationRequested }) => !revocationRequested),
  )
  const model = highestCapUsd !== null ? 'steady' : random.any(['steady', 'wild', 'wild', 'twice'])
  const stream = random.chance(0.5)
  const body = JSON.stringify({
    model,
    stream,
    ...(stream && random.chance(0.5) ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: 'user', content: `${tag} ${'and so on '.repeat(random.below(20))}` }],
  })
  if (idempotencyKey !== null) expectations.idempotentTags.add(tag)
  return { tag, keyId: id, secret, model, body, stream, idempotencyKey }
}

/** Sends a call once, and records what the response reported. */
export async function sendCall(
  load: Load,
  call: Call,
  disconnects = load.random.chance(0.12),
): Promise<ReceivedResponse> {
  const { client, expectations, findings, random } = load
  const disconnect = random.chance(0.5)
    ? { disconnectAfterMs: random.between(1, 60) }
    : { disconnectAfterBytes: random.between(1, 900) }
  const received = await client.send({
    path: '/v1/chat/completions',
    secret: call.secret,
    body: call.body,
    headers: {
      'user-agent': call.tag,
      ...(call.idempotencyKey === null ? {} : { 'idempotency-key': call.idempotencyKey }),
    },
    ...(disconnects ? disconnect : {}),
  })
  findings.count('requests')
  if (received.complete) checkResponse(load, call, received)
  const cost = readReportedCost(call, received)
  const requestId = received.headers['x-service-request-id']
  if (
    cost !== null &&
    typeof requestId === 'string' &&
    received.headers['idempotency-replayed'] === undefined
  ) {
    findings.count('acknowledged')
    expectations.acknowledged.set(requestId, { call, cost, expectedNano: expectedNano(load, call) })
    if (call.idempotencyKey !== null) expectations.replayable.push({ call, received })
  } else if (received.status === 402) {
    await raiseCap(load, call)
  } else if (received.status === 0) {
    await delay(5)
  }
  return received
}

function checkResponse({ findings }: Load, call: Call, { status, text }: ReceivedResponse): void {
  if (status === 200) {
    const other = /answer to (call-\d+|no request)/.exec(text)?.[1]
    if (other !== undefined && other !== call.tag)
      findings.add('responses of another call', `${call.tag} got ${other}'s answer`)
    return
  }
  if (status === 500 || !ErrorEnvelope.safeParse(parseJson(text)).success)
    findings.add(
      'responses with status 500 or without the error envelope',
      `${call.tag} (${call.model}) got ${status}: ${text.slice(0, 300)}`,
    )
}

/** Nano-dollars of the only, exact report, at 1 and 2 dollars per million tokens. */
function expectedNano({ getUpstream }: Load, { tag, model }: Call): number | null {
  const done = getUpstream(model).done(tag)
  const last = done.at(-1)
  if (!last || (last.name !== 'exact' && last.name !== 'drip') || done.length > 1) return null
  return last.usage.prompt_tokens * 1000 + last.usage.completion_tokens * 2000
}

async function raiseCap(
  { client, program, expectations, random, stopped }: Load,
  { keyId }: Call,
): Promise<void> {
  const key = expectations.keys.find(({ id }) => id === keyId)
  if (!key || key.highestCapUsd === null || stopped) return
  if (!random.chance(0.3)) return delay(10)
  const spendLimitUsd = Number((key.highestCapUsd + CAP_USD).toFixed(6))
  // It may take effect even if the response is lost.
  key.highestCapUsd = spendLimitUsd
  await client.send({
    method: 'PATCH',
    path: `/v1/keys/${keyId}`,
    secret: program.admin,
    body: JSON.stringify({ spendLimitUsd }),
  })
}

async function revokeOne({ client, program, expectations, random }: Load): Promise<void> {
  const usable = expectations.keys.filter(({ revocationRequested }) => !revocationRequested)
  // The clients need some keys until the next round.
  if (usable.length < PLAIN_KEYS) return
  const key = random.any(usable)
  key.revocationRequested = true
  const received = await client.send({ method: 'DELETE', path: `/v1/keys/${key.id}`, secret: program.admin })
  if (received.status === 200 && received.complete) key.revoked = true
}

async function sendIdempotentCall(load: Load): Promise<void> {
  const { random, expectations } = load
  const call = newCall(load, `key-${expectations.calls}`)
  const received = await sendCall(load, call)
  if (readReportedCost(call, received) === null) {
    expectations.unacknowledged.push(call)
    return
  }
  if (random.chance(0.5)) await compareReplay(load, { call, received })
}

/** Sends the call again with the same Idempotency-Key: the response must have the same bytes. */
export async function compareReplay(
  load: Load,
  first: { call: Call; received: ReceivedResponse },
): Promise<void> {
  const { call, received } = first
  const again = await sendCall(load, call, false)
  // A gateway that is stopping accepts no requests, replays included.
  if (!again.complete || load.stopped || isRevoking(load.expectations, call)) return
  load.findings.count('replays')
  const same = again.status === received.status && again.text === received.text
  const sameId = again.headers['x-service-request-id'] === received.headers['x-service-request-id']
  if (same && sameId && again.headers['idempotency-replayed'] === 'true') return
  load.findings.add(
    'replays that differ',
    `${call.tag}: first ${received.status} ${received.text.slice(0, 150)}, then ${again.status} ${again.text.slice(0, 150)}`,
  )
}

export function isRevoking({ keys }: Expectations, { keyId }: Call): boolean {
  return keys.some(({ id, revocationRequested }) => id === keyId && revocationRequested)
}

/** A revoked key must stay revoked through crashes and restarts. */
export async function checkRevoked({ client, expectations, findings }: Load): Promise<void> {
  for (const { id, secret } of expectations.keys.filter(({ revoked }) => revoked).slice(-5)) {
    const { status, text } = await client.send({ method: 'GET', path: '/v1/key', secret })
    if (status !== 401)
      findings.add('revoked keys that were accepted', `${id} got ${status}: ${text.slice(0, 200)}`)
  }
}
