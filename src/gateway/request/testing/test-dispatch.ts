import type { Attempt } from '../../../shared/api/requests.ts'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import type { Target } from '../../formats/chat/codec-types.ts'
import { TRANSLATED } from '../../formats/chat/events.ts'
import { testOffer } from '../../models/catalog/testing/offer.ts'
import { type Clock, getTimers, systemClock, type Timers } from '../../platform/clock.ts'
import { CircuitBreakers } from '../../upstream/circuit-breaker.ts'
import { type AdapterFor, createAdapters } from '../../upstream/http-adapter.ts'
import { plainRequest, TestCalls } from '../../upstream/testing/test-calls.ts'
import { type TestUpstream, testCompletion, testTarget } from '../../upstream/testing/test-upstream.ts'
import { type AnsweredDispatch, type CallingRun, dispatch, type FailedDispatch } from '../dispatch.ts'
import { Forecast } from '../forecast.ts'
import { type Candidate, Quote } from '../quote.ts'

interface DispatchOptions {
  request?: ChatRequest
  signal?: AbortSignal
  breakers?: CircuitBreakers
  /** [0, 1) */
  random?: () => number
  credential?: (providerId: string, index: number) => Promise<string | null>
  coolDownCredential?: (providerId: string, index: number, ms: number) => void
  setCalling?: (isCalling: boolean) => void
  reserveAgain?: CallingRun['reserveAgain']
  adapterFor?: AdapterFor
  /** Waits between attempts. */
  delay?: Timers['delay']
}

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
    options: DispatchOptions = {},
  ): Promise<AnsweredDispatch | FailedDispatch> {
    const { request = plainRequest } = options
    const priced = { offer: testOffer(), bound: { calls: 1, prompt: 1, external: false, output: 1 } }
    const terms = { request: plainRequest, keyId: 'key_a', discountPercent: 0, isStrict: false }
    const quote = new Quote(priced, terms, new Forecast())
    const createCandidate = (target: Target): Candidate => ({
      ...priced,
      quote,
      target,
      encoded: null,
      mode: TRANSLATED,
      refusal: null,
      shortenedTo: null,
      calls: target.quirks.noN ? (request.n ?? 1) : 1,
    })
    return dispatch({
      candidates: targets.map(createCandidate),
      calling: null,
      credentialIndex: 0,
      call: { request, mode: { kind: 'translated' }, instead: null, trace: null, sockets: null },
      inFlight: {
        signal: options.signal ?? new AbortController().signal,
        setCalling: options.setCalling ?? (() => undefined),
      },
      reserveAgain: options.reserveAgain ?? (async () => true),
      deps: {
        clock: this.#createClock(options.delay),
        random: options.random ?? (() => 0),
        adapterFor: options.adapterFor ?? createAdapters(this.calls.pool),
        breakers: options.breakers ?? this.breakers,
        providers: {
          credential: options.credential ?? (async () => 'secret-credential'),
          coolDownCredential: options.coolDownCredential ?? (() => undefined),
        },
      },
    })
  }

  /** A clock by which waits between attempts take their time, but are over immediately. */
  #createClock(delay: Timers['delay'] | undefined): Clock {
    const skip = async (ms: number) => void this.slept.push(ms)
    return {
      ...systemClock,
      monotonic: () => systemClock.monotonic() + this.slept.reduce((sum, ms) => sum + ms, 0),
      timers: { ...getTimers(systemClock), delay: delay ?? skip },
    }
  }

  async answered(targets: readonly Target[], options: DispatchOptions = {}): Promise<AnsweredDispatch> {
    const result = await this.dispatch(targets, options)
    if (result.kind !== 'answered') throw new Error(`expected an answer, got ${result.failure.message}`)
    return result
  }

  async failed(targets: readonly Target[], options: DispatchOptions = {}): Promise<FailedDispatch> {
    const result = await this.dispatch(targets, options)
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
