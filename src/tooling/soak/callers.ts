// Owns the load: callers that ask, leave, ask again, revoke keys and raise caps, until they are told to stop.
import { setTimeout as delay } from 'node:timers/promises'
import { ErrorEnvelope } from '../../shared/errors.ts'
import { KeyCreated } from '../../shared/keys.ts'
import type { Random } from '../random.ts'
import type { Client, Heard } from './client.ts'
import type { Figures } from './figures.ts'
import type { MisbehavingUpstream } from './upstream.ts'
import { type Books, type Call, costTold } from './upstream-log.ts'

/** Caps begin small, so that they are met, and are raised by as much. */
const CAP_USD = 0.004
const PLAIN_KEYS = 4
const CAPPED_KEYS = 3

export interface Load {
  client: Client
  admin: string
  books: Books
  figures: Figures
  random: Random
  upstreamOf(model: string): MisbehavingUpstream
  /** The gateway is about to be killed, or the callers are to come to an end. */
  stopped: boolean
}

/** As many keys of each kind as there should be; those that were revoked are replaced. */
export async function fillKeys({ client, admin, books }: Load): Promise<void> {
  const usable = (capped: boolean) =>
    books.keys.filter(({ givenUp, highestCapUsd }) => !givenUp && (highestCapUsd !== null) === capped).length
  for (const [capped, wanted] of [
    [false, PLAIN_KEYS],
    [true, CAPPED_KEYS],
  ] as const) {
    while (usable(capped) < wanted) {
      const name = `${capped ? 'capped' : 'plain'} ${books.keys.length}`
      const cap = capped ? { spendLimitUsd: CAP_USD } : {}
      const body = JSON.stringify({ name, scope: 'completions-only', ...cap })
      const heard = await client.send({ path: '/v1/keys', secret: admin, body })
      if (heard.status !== 201) throw new Error(`a key was refused: ${heard.status} ${heard.text}`)
      const { id, secret } = KeyCreated.parse(JSON.parse(heard.text))
      books.keys.push({ id, secret, highestCapUsd: capped ? CAP_USD : null, givenUp: false, revoked: false })
    }
  }
}

/** One caller: asks again and again, each time as chance has it. */
export async function callUntilStopped(load: Load): Promise<void> {
  while (!load.stopped) {
    const { random } = load
    if (random.chance(0.01)) await revokeOne(load)
    else if (random.chance(0.3)) await askWithIdempotencyKey(load)
    else await ask(load, newCall(load, null))
  }
}

function newCall({ books, random }: Load, idempotencyKey: string | null): Call {
  const tag = books.nextTag()
  const { id, secret, highestCapUsd } = random.any(books.keys.filter(({ givenUp }) => !givenUp))
  const model = highestCapUsd !== null ? 'steady' : random.any(['steady', 'wild', 'wild', 'twice'])
  const stream = random.chance(0.5)
  const body = JSON.stringify({
    model,
    stream,
    ...(stream && random.chance(0.5) ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: 'user', content: `${tag} ${'and so on '.repeat(random.below(20))}` }],
  })
  if (idempotencyKey !== null) books.idempotentTags.add(tag)
  return { tag, keyId: id, secret, model, body, stream, idempotencyKey }
}

/** Sends a call once, and writes down what was told. */
export async function ask(load: Load, call: Call, leaves = load.random.chance(0.12)): Promise<Heard> {
  const { client, books, figures, random } = load
  const leaving = random.chance(0.5)
    ? { leaveAfterMs: random.between(1, 60) }
    : { leaveAfterBytes: random.between(1, 900) }
  const heard = await client.send({
    path: '/v1/chat/completions',
    secret: call.secret,
    body: call.body,
    headers: {
      'user-agent': call.tag,
      ...(call.idempotencyKey === null ? {} : { 'idempotency-key': call.idempotencyKey }),
    },
    ...(leaves ? leaving : {}),
  })
  figures.requests += 1
  if (heard.whole) checkShape(load, call, heard)
  const cost = costTold(call, heard)
  const requestId = heard.headers['x-service-request-id']
  if (cost !== null && typeof requestId === 'string' && heard.headers['idempotency-replayed'] === undefined) {
    figures.acknowledged += 1
    books.acknowledged.set(requestId, { call, requestId, cost, expectedNano: expectedNano(load, call) })
    if (call.idempotencyKey !== null) books.replayable.push({ call, heard })
  } else if (heard.status === 402) {
    await raiseCap(load, call)
  } else if (heard.status === 0) {
    await delay(5)
  }
  return heard
}

function checkShape({ figures }: Load, call: Call, { status, text }: Heard): void {
  if (status === 200) {
    const other = /answer to (call-\d+|nobody)/.exec(text)?.[1]
    if (other !== undefined && other !== call.tag)
      figures.found('swapped', `${call.tag} got ${other}'s answer`)
    return
  }
  const envelope = parsed(text)
  if (status === 500 || !envelope)
    figures.found('ownFault', `${call.tag} (${call.model}) got ${status}: ${text.slice(0, 300)}`)
}

function parsed(text: string): ErrorEnvelope | null {
  try {
    return ErrorEnvelope.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** Nano-dollars of the one exact report, at 1 and 2 dollars per million tokens. */
function expectedNano({ upstreamOf }: Load, { tag, model }: Call): number | null {
  const done = upstreamOf(model).done(tag)
  const last = done.at(-1)
  if (!last || (last.name !== 'exact' && last.name !== 'drip') || done.length > 1) return null
  return last.usage.prompt_tokens * 1000 + last.usage.completion_tokens * 2000
}

async function raiseCap({ client, admin, books, random, stopped }: Load, { keyId }: Call): Promise<void> {
  const key = books.keys.find(({ id }) => id === keyId)
  if (!key || key.highestCapUsd === null || stopped) return
  if (!random.chance(0.3)) return delay(10)
  const spendLimitUsd = Number((key.highestCapUsd + CAP_USD).toFixed(6))
  // It may take effect though the answer is never heard.
  key.highestCapUsd = spendLimitUsd
  await client.send({
    method: 'PATCH',
    path: `/v1/keys/${keyId}`,
    secret: admin,
    body: JSON.stringify({ spendLimitUsd }),
  })
}

async function revokeOne({ client, admin, books, random }: Load): Promise<void> {
  const usable = books.keys.filter(({ givenUp }) => !givenUp)
  // The callers need some to go on with until the next round.
  if (usable.length < PLAIN_KEYS) return
  const key = random.any(usable)
  key.givenUp = true
  const heard = await client.send({ method: 'DELETE', path: `/v1/keys/${key.id}`, secret: admin })
  if (heard.status === 200 && heard.whole) key.revoked = true
}

async function askWithIdempotencyKey(load: Load): Promise<void> {
  const { random, books } = load
  const call = newCall(load, `key-${books.calls}`)
  const heard = await ask(load, call)
  if (costTold(call, heard) === null) {
    books.unheard.push(call)
    return
  }
  if (random.chance(0.5)) await compareReplay(load, { call, heard })
}

/** Asks again under the same Idempotency-Key: the answer must be the first one's, to the byte. */
export async function compareReplay(load: Load, first: { call: Call; heard: Heard }): Promise<void> {
  const { call, heard } = first
  const again = await ask(load, call, false)
  // A gateway that is being stopped takes no requests, replays included.
  if (!again.whole || load.stopped || isGivenUp(load.books, call)) return
  load.figures.replays += 1
  const same = again.status === heard.status && again.text === heard.text
  const sameId = again.headers['x-service-request-id'] === heard.headers['x-service-request-id']
  if (same && sameId && again.headers['idempotency-replayed'] === 'true') return
  load.figures.found(
    'wrongReplay',
    `${call.tag}: first ${heard.status} ${heard.text.slice(0, 150)}, then ${again.status} ${again.text.slice(0, 150)}`,
  )
}

export function isGivenUp({ keys }: Books, { keyId }: Call): boolean {
  return keys.some(({ id, givenUp }) => id === keyId && givenUp)
}

/** A revoked key must be refused for ever, whatever has happened since. */
export async function checkRevoked({ client, books, figures }: Load): Promise<void> {
  for (const { id, secret } of books.keys.filter(({ revoked }) => revoked).slice(-5)) {
    const { status, text } = await client.send({ method: 'GET', path: '/v1/key', secret })
    if (status !== 401) figures.found('revokedServed', `${id} was answered ${status}: ${text.slice(0, 200)}`)
  }
}
