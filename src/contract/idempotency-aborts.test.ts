import { afterAll, expect } from 'vitest'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { neverResponds, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const withKey = (key: string, as?: string) => ({ headers: { 'idempotency-key': key }, ...(as ? { as } : {}) })

rule(
  'Idempotency',
  'If the first client disconnected, a repetition gets 502 outcome_unknown and is neither run nor charged',
  async () => {
    const quiet = neverResponds()
    await upstream.model('abandoned', quiet.handler)
    const key = await tollgate.createKey({ name: 'abandons', scope: 'full' })
    const left = new AbortController()
    const call = tollgate
      .chat({ model: 'abandoned' }, { ...withKey('k-left', key.secret), signal: left.signal })
      .catch(() => null)
    await quiet.received
    left.abort()
    await call
    const { status, json } = await tollgate.chat({ model: 'abandoned' }, withKey('k-left', key.secret))
    expect([status, json.error.code]).toEqual([502, 'outcome_unknown'])
    expect(upstream.calls('abandoned')).toHaveLength(1)
  },
)

rule(
  'Idempotency',
  'A request that was canceled while waiting for a cap does not use up its key',
  async () => {
    const quiet = neverResponds()
    await upstream.model('holds', quiet.handler)
    const key = await tollgate.createKey({ name: 'held', scope: 'full', spendLimitUsd: 0.002 })
    const holder = new AbortController()
    const holding = tollgate
      .chat({ model: 'holds', max_tokens: 1000 }, { as: key.secret, signal: holder.signal })
      .catch(() => null)
    await quiet.received
    const waiter = new AbortController()
    const waiting = tollgate
      .chat({}, { ...withKey('k-wait', key.secret), signal: waiter.signal })
      .catch(() => null)
    setTimeout(() => waiter.abort(), 100)
    await waiting
    holder.abort()
    await holding
    await tollgate.call('PATCH', `/v1/keys/${key.id}`, { body: { spendLimitUsd: 1 } })
    expect((await tollgate.chat({}, withKey('k-wait', key.secret))).status).toBe(200)
  },
)

rule(
  'Idempotency',
  'A repetition that is canceled while waiting for the original request is not run',
  async () => {
    const quiet = neverResponds()
    await upstream.model('holds', quiet.handler)
    const key = await tollgate.createKey({ name: 'waits', scope: 'full', spendLimitUsd: 0.002 })
    const abortable = (headers: object = {}, body: Record<string, unknown> = {}) => {
      const control = new AbortController()
      const call = tollgate
        .chat(body, { as: key.secret, signal: control.signal, ...headers })
        .catch(() => null)
      return { leave: () => control.abort(), call }
    }
    const holder = abortable({}, { model: 'holds', max_tokens: 1000 })
    await quiet.received
    // The first waits for the cap, and the second for the first.
    const first = abortable(withKey('k-aborted', key.secret))
    await tollgate.call('GET', '/healthz')
    const second = abortable(withKey('k-aborted', key.secret))
    await tollgate.call('GET', '/healthz')
    for (const { leave, call } of [second, first, holder]) {
      leave()
      await call
      await tollgate.call('GET', '/healthz')
    }
    await tollgate.call('PATCH', `/v1/keys/${key.id}`, { body: { spendLimitUsd: 1 } })
    const third = await tollgate.chat({}, withKey('k-aborted', key.secret))
    expect([third.status, third.headers.get('idempotency-replayed')]).toEqual([200, null])
    const { data } = (await tollgate.call('GET', `/v1/requests?key=${key.id}&model=sandbox-small`)).json
    expect(data).toHaveLength(1)
  },
)
