import type { Attempt } from '../../../shared/api/requests.ts'
import type { Target } from '../../formats/chat/codec-types.ts'
import { TRANSLATED } from '../../formats/chat/events.ts'
import { testOffer } from '../../models/catalog/testing/offer.ts'
import { systemClock } from '../../platform/clock.ts'
import { CircuitBreakers } from '../../upstream/circuit-breaker.ts'
import { createAdapters } from '../../upstream/http-adapter.ts'
import { plainRequest, TestCalls } from '../../upstream/testing/test-calls.ts'
import { type TestUpstream, testCompletion, testTarget } from '../../upstream/testing/test-upstream.ts'
import { type AnsweredDispatch, type DispatchContext, dispatch, type FailedDispatch } from '../dispatch.ts'
import { Forecast } from '../forecast.ts'
import { Quote } from '../quote.ts'

/** Dispatches requests to test upstreams, without waiting between attempts. */
export class TestDispatch {
  readonly calls = new TestCalls()
  readonly breakers = new CircuitBreakers(systemClock)
  /** The waits between attempts, in milliseconds. */
  readonly slept: number[] = []

  /** Answers with the statuses in order, then with 200. */
  failingWith(...statuses: number[]): Promise<TestUpstream> {
    return this.calls.upstream((exchange) => {
      const status = statuses.shift() ?? 200
      if (status === 200) exchange.reply(200, testCompletion('Hi'))
      else exchange.reply(status, { error: { message: `status ${status}` } })
    })
  }

  dispatch(
    targets: readonly Target[],
    over: Partial<DispatchContext> = {},
  ): Promise<AnsweredDispatch | FailedDispatch> {
    const { n } = over.request ?? plainRequest
    const priced = { offer: testOffer(), bound: { calls: 1, prompt: 1, external: false, output: 1 } }
    const terms = { request: plainRequest, keyId: 'key_a', discountPercent: 0, isStrict: false }
    const quote = new Quote(priced, terms, new Forecast())
    const candidates = targets.map((target) => ({
      ...{ ...priced, quote, target, encoded: null, mode: TRANSLATED, refusal: null, shortenedTo: null },
      calls: target.quirks.noN ? (n ?? 1) : 1,
    }))
    return dispatch(candidates, {
      request: plainRequest,
      signal: new AbortController().signal,
      credentialFor: async () => 'secret-credential',
      clock: {
        ...systemClock,
        monotonic: () => systemClock.monotonic() + this.slept.reduce((sum, ms) => sum + ms, 0),
      },
      random: () => 0,
      adapterFor: createAdapters(this.calls.pool),
      breakers: this.breakers,
      sleep: async (ms) => {
        this.slept.push(ms)
      },
      ...over,
    })
  }

  async answered(targets: readonly Target[], over: Partial<DispatchContext> = {}): Promise<AnsweredDispatch> {
    const result = await this.dispatch(targets, over)
    if (result.kind !== 'answered') throw new Error(`expected an answer, got ${result.failure.message}`)
    return result
  }

  async failed(targets: readonly Target[], over: Partial<DispatchContext> = {}): Promise<FailedDispatch> {
    const result = await this.dispatch(targets, over)
    if (result.kind !== 'failed') throw new Error('expected a failure')
    return result
  }
}

export function createTarget(server: TestUpstream, providerId: string, over: Partial<Target> = {}): Target {
  return testTarget(server.url, { providerId, servedModel: `${providerId}-model`, ...over })
}

export function listStatuses(attempts: readonly Attempt[]): [provider: string, status: number | null][] {
  return attempts.map(({ provider, status }) => [provider, status])
}
