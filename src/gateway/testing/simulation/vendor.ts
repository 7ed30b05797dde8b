// The simulated vendors: they receive the bytes that the gateway sends, work, answer in bytes of their own format, and bill.
import { type Dispatcher, errors } from 'undici'
import type { ApiFormat } from '../../../shared/api/providers.ts'
import type { Clock } from '../../platform/clock.ts'
import { type HttpRequest, UpstreamPool } from '../../upstream/connection-pool.ts'
import {
  encodeEvent,
  NO_TOKENS,
  type VendorTokens,
  vendorFormats,
} from '../../upstream/testing/vendor-formats.ts'
import { createRandom, type Random, randomForCase } from '../random.ts'
import { type Bill, drawUnasked, openBill } from './bill.ts'
import { models, type SimulatedModel } from './models.ts'
import type { Disk } from './store.ts'
import { computePrice, meterPrompt, type ReceivedRequest, receive } from './vendor-meter.ts'
import type { VirtualTime } from './virtual-time.ts'

export interface Network {
  readonly time: VirtualTime
  readonly seed: number
  /** Every bill, in the order of the calls. */
  readonly bills: Bill[]
  readonly disk: Pick<Disk, 'failures' | 'failingSince'>
  /** Called when a call reaches a vendor. */
  onCall(bill: Bill): void
  /** Called whenever a bill has grown, or has ended. */
  onBill(bill: Bill): void
}

/** Milliseconds that the vendors' answers and an abort take through the network. */
const NETWORK_MS = 20

const SECRET_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'] as const

/** The connections of one simulated process. */
export class SimulatedPool extends UpstreamPool {
  readonly #network: Network
  readonly #isOver: () => boolean

  constructor(clock: Clock, network: Network, isOver: () => boolean) {
    super(clock)
    this.#network = network
    this.#isOver = isOver
  }

  override dispatch({ url, body, headers }: HttpRequest, handler: Dispatcher.DispatchHandler): void {
    if (this.#isOver()) return
    const credential = SECRET_HEADERS.flatMap((name) => headers[name] ?? []).join()
    new VendorCall(this.#network, handler, this.#isOver).start(new URL(url), String(body ?? ''), credential)
  }
}

class VendorCall implements Dispatcher.DispatchController {
  readonly #network: Network
  readonly #handler: Dispatcher.DispatchHandler
  readonly #isOver: () => boolean
  #bill: Bill | null = null
  /** The abort has reached the vendor. */
  #stopped = false
  #buffered: (() => void)[] = []
  aborted = false
  paused = false
  reason: Error | null = null

  constructor(network: Network, handler: Dispatcher.DispatchHandler, isOver: () => boolean) {
    this.#network = network
    this.#handler = handler
    this.#isOver = isOver
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
    const buffered = this.#buffered
    this.#buffered = []
    for (const deliver of buffered) this.#deliver(deliver)
  }

  abort(reason: Error): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    this.#network.time.after(NETWORK_MS, () => {
      this.#stopped = true
      // A plain call still runs to its end.
      if (this.#bill?.received.streams) this.#endBill(false)
    })
  }

  start(url: URL, text: string, credential: string): void {
    const received = receive(text, url.pathname)
    const model = models.find(({ id }) => id === received.model)
    if (!model || received.action === null) return void this.#answerStatus(404, 50)
    const { bills, seed, time, disk } = this.#network
    const attempt = bills.filter(({ action }) => action === received.action).length
    const random = createRandom(
      Math.imul(seed, 31) ^ Math.imul(received.action + 1, 0x9e3779b1) ^ (attempt * 7919),
    )
    const unasked = drawUnasked(model, randomForCase(seed, received.action))
    const bill = openBill(
      {
        ...{ action: received.action, model, received, credential, unasked },
        format: formatAt(url.pathname) ?? model.format,
      },
      { sentAt: time.now, disk },
      random,
    )
    const { outcome, status } = bill
    this.#bill = bill
    bills.push(bill)
    this.#network.onCall(bill)
    if (outcome === 'refused') return void this.#fail('ECONNREFUSED', 5)
    this.#handler.onRequestStart?.(this, {})
    if (status !== null) return void this.#answerStatus(status, random.between(20, 2_000))
    switch (outcome) {
      case 'reset':
        this.#fail('ECONNRESET', random.between(20, 2_000))
        return
      default:
        time.after(random.between(30, 300), () => this.#work(bill, random))
    }
  }

  /** Draws the work, and does it in virtual time. */
  #work(bill: Bill, random: Random): void {
    const { model, received } = bill
    if (this.#stopped && received.streams) return void this.#endBill(false)
    const added = received.references > 0 ? random.any([500, 20_000, 120_000, 1_000_000]) : 0
    const limit = received.outputLimit ?? model.maxOutputTokens
    const own = meterPrompt(received, model, {
      bytesPerToken: random.between(3, 5),
      tiles: random.between(1, 12),
      cached: random.chance(0.2) ? random.next() : 0,
      added,
    })
    const prompt = { ...own, input: own.input + bill.unasked }
    const wanted = received.isLong ? random.between(3_000, 20_000) : Math.ceil(random.logNormal(120, 1.3))
    const drawn = model.reasons && random.chance(0.5) ? Math.ceil(random.logNormal(1_500, 1)) : 0
    const reasoning = bill.format === 'anthropic-messages' && !received.thinks ? 0 : drawn
    const mostReasoning = Math.min(
      received.budget ?? Infinity,
      model.reasoningIsExtra ? model.maxOutputTokens : limit,
    )
    const withinLimit = Math.min(reasoning, mostReasoning)
    const output = Math.min(wanted, model.reasoningIsExtra ? limit : limit - withinLimit)
    const work = { prompt, reasoning: withinLimit, output, random }
    if (received.streams) this.#stream(bill, work)
    else this.#answer(bill, work)
  }

  #answer(bill: Bill, { prompt, reasoning, output, random }: Work): void {
    const { model, received } = bill
    const searches = this.#search(received, prompt, model, random)
    const choices = received.choices
    bill.usage = { ...searches, text: output * choices, reasoning: reasoning * choices }
    bill.isOver = true
    // The vendor has begun: it bills all of it, whether or not someone waits for the answer.
    this.#grow(bill, true)
    const ms = 100 + (reasoning + output) * 5
    if (bill.outcome === 'reset-after-work') return void this.#fail('ECONNRESET', ms)
    if (bill.outcome === 'silent') return
    const format = vendorFormats[bill.format]
    const text = getText(output, random)
    this.#network.time.after(ms, () => {
      const { tier } = bill
      const { searches } = bill.usage
      const usage = this.#reported(bill)
      const body = format.plain({ texts: Array(choices).fill(text), usage, searches, tier })
      this.#deliver(() => {
        bill.isDelivered = true
        this.#respond(200, 'application/json', JSON.stringify(body))
      })
    })
  }

  #stream(bill: Bill, { prompt, reasoning, output, random }: Work): void {
    const { model, received, tier } = bill
    const { time } = this.#network
    const format = vendorFormats[bill.format]
    const send = (...events: readonly object[]) => {
      const bytes = Buffer.from(events.map((event) => encodeEvent(event)).join(''))
      if (!this.aborted) bill.deliveredNano = bill.nano
      this.#deliver(() => void this.#handler.onResponseData?.(this, bytes))
    }
    if (bill.outcome === 'silent') {
      bill.usage = prompt
      this.#grow(bill, true)
      return
    }
    bill.usage = prompt
    this.#grow(bill, true)
    const reportsEarly = bill.report === 'twice' || bill.format === 'anthropic-messages'
    const chunks = received.isLong
      ? Math.ceil(output / random.between(100, 400))
      : Math.min(12, Math.max(1, Math.ceil(output / random.between(5, 60))))
    const each = Math.ceil(output / chunks)
    const parts: string[] = []
    let left = output
    const steps: (() => void)[] = [
      () => {
        this.#deliver(() =>
          this.#handler.onResponseStart?.(this, 200, { 'content-type': 'text/event-stream' }),
        )
        send(...format.begin({ tier }, reportsEarly ? this.#reported(bill) : null))
      },
      () => {
        bill.usage = { ...this.#search(received, bill.usage, model, random), reasoning }
        this.#grow(bill, true)
      },
      ...Array.from({ length: chunks }, (_, number) => () => {
        const tokens = Math.min(each, left)
        left -= tokens
        const text = getText(tokens, random)
        parts.push(text)
        const before = bill.nano
        bill.usage = { ...bill.usage, text: bill.usage.text + tokens }
        this.#grow(bill, false)
        bill.batchNano = Math.max(bill.batchNano, bill.nano - before)
        if (text !== '') send(format.delta(text, { tier }))
        const halfway = number === chunks >> 1 && bill.report === 'twice'
        const usage = halfway ? this.#reported(bill) : null
        if (usage) send(format.report({ usage, tier }))
      }),
    ]
    const endsEarly = bill.outcome === 'reset-after-work'
    const paceMs = random.between(5, 400)
    const next = (at: number): void => {
      if (this.#stopped || this.#isOver()) return void this.#endBill(false)
      const step = steps[at]
      if (step) {
        step()
        if (endsEarly && at === steps.length >> 1) {
          this.#endBill(false)
          this.#fail('ECONNRESET', 1)
          return
        }
        time.after(paceMs, () => next(at + 1))
        return
      }
      this.#endBill(true)
      const { searches } = bill.usage
      send(...format.end({ texts: [parts.join('')], usage: this.#reported(bill), searches, tier }))
      this.#deliver(() => {
        bill.isDelivered = true
        if (format.done) this.#handler.onResponseData?.(this, Buffer.from(`data: ${format.done}\n\n`))
        this.#handler.onResponseEnd?.(this, {})
      })
    }
    time.after(random.between(50, 3_000), () => next(0))
  }

  /** The prompt with what searches have added to it. */
  #search(
    { searches }: ReceivedRequest,
    usage: VendorTokens,
    model: SimulatedModel,
    random: Random,
  ): VendorTokens {
    if (searches === 0 || random.chance(0.3)) return usage
    const done = random.between(1, searches)
    const room = model.contextWindow - usage.input - usage.added - usage.cacheRead - usage.cacheWrite5m
    const added = Math.min(
      done * random.any([2_000, 30_000, 100_000]),
      Math.max(0, room - usage.cacheWrite1h),
    )
    return { ...usage, added: usage.added + added, searches: model.format === 'gemini-generate' ? 1 : done }
  }

  #reported({ report, usage, model, format: name }: Bill): object | null {
    const format = vendorFormats[name]
    const isExtra = model.reasoningIsExtra
    const scaled = (factor: number): VendorTokens => ({
      ...usage,
      input: usage.input * factor,
      text: usage.text * factor,
      reasoning: usage.reasoning * factor,
    })
    switch (report) {
      case 'never':
        return null
      case 'zero':
        return format.usage(NO_TOKENS, isExtra)
      case 'negative':
        return format.usage(scaled(-1), isExtra)
      case 'tenfold':
        return format.usage(scaled(10), isExtra)
      case 'millionfold':
        return format.usage(scaled(1_000_000), isExtra)
      default:
        return format.usage(usage, isExtra)
    }
  }

  /** `seen`: the gateway cannot know when it receives this, so it must have reserved it. */
  #grow(bill: Bill, seen: boolean): void {
    bill.nano = computePrice(bill.usage, bill.model.prices, bill.tierFactor)
    if (seen) bill.deliveredNano = bill.nano
    this.#network.onBill(bill)
  }

  #endBill(isWhole: boolean): void {
    const bill = this.#bill
    if (!bill || bill.isOver) return
    bill.isOver = true
    if (isWhole && !this.aborted) bill.deliveredNano = bill.nano
    this.#network.onBill(bill)
  }

  #deliver(event: () => void): void {
    if (this.aborted || this.#isOver()) return
    if (this.paused || this.#buffered.length > 0) this.#buffered.push(event)
    else event()
  }

  #respond(status: number, type: string, text: string): void {
    this.#handler.onResponseStart?.(this, status, { 'content-type': type })
    this.#handler.onResponseData?.(this, Buffer.from(text))
    this.#handler.onResponseEnd?.(this, {})
  }

  #answerStatus(status: number, ms: number): void {
    if (this.#bill) this.#bill.isOver = true
    const body = JSON.stringify({ error: { message: 'The vendor refuses.', type: 'api_error', code: null } })
    this.#network.time.after(ms, () => this.#deliver(() => this.#respond(status, 'application/json', body)))
  }

  #fail(code: string, ms: number): void {
    if (this.#bill) this.#bill.isOver = true
    this.#network.time.after(ms, () =>
      this.#deliver(() => {
        const error = Object.assign(new errors.SocketError(code), { code })
        this.#handler.onResponseError?.(this, error)
      }),
    )
  }
}

function formatAt(path: string): ApiFormat | null {
  if (path.endsWith('/responses')) return 'openai-responses'
  return path.endsWith('/chat/completions') ? 'openai-chat' : null
}

interface Work {
  prompt: VendorTokens
  reasoning: number
  output: number
  random: Random
}

/** A text of so many tokens, of three to five bytes each. */
function getText(tokens: number, random: Random): string {
  return LETTERS.repeat(1 + Math.floor((tokens * 5) / LETTERS.length)).slice(0, tokens * random.between(3, 5))
}

const LETTERS = 'the quick brown fox jumps over a lazy dog and runs along '
