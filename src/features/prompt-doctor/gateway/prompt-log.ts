// Reads what each prompt consists of, once its answer is sent, and compares it with the one before. Only numbers and the names
// of tools are stored.

import { tokensIn } from '../../../gateway/formats/chat/usage.ts'
import type { Feature } from '../../../gateway/http/calls.ts'
import { parseMoment } from '../../../gateway/observe/request-log/usage-sums.ts'
import { type Clock, getTimers } from '../../../gateway/platform/clock.ts'
import { omitUndefined } from '../../../gateway/platform/fields.ts'
import type { Log } from '../../../gateway/platform/log.ts'
import type { FinalOutcome } from '../../../gateway/request/ledger.ts'
import type { RequestHook, Run } from '../../../gateway/request/run.ts'
import { costOfCalls } from '../../../gateway/spend/cost.ts'
import type { Store } from '../../../gateway/store/store.ts'
import type { RequestAgent, UsageBuckets } from '../../../shared/api/requests.ts'
import { hasSamplePrices } from '../../../shared/api/terms.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { nanoToUsd, nanoUsd } from '../../../shared/money/money.ts'
import type { Rates } from '../../../shared/money/rates.ts'
import type { CachingQuery, CachingReport } from '../api/caching.ts'
import type { CacheCause, RequestPrompt } from '../api/prompts.ts'
import { CACHE_CAUSES, PROMPT_PARTS } from '../api/terms.ts'
import { type CacheBreak, CacheDoctor } from './cache-doctor.ts'
import {
  addPromptSums,
  noPromptSums,
  type PromptFacts,
  type PromptSums,
  type SessionDay,
  type StoredPrompt,
} from './prompt-rows.ts'
import { findServer, readPromptShape } from './prompt-shape.ts'

/** How long facts are collected until they are written together. */
const WRITE_MS = 500
/** Tokens. Vendors cache nothing shorter, and such a prompt costs next to nothing. */
const MIN_PROMPT_TOKENS = 1_024

/** A request that was answered. */
interface AnsweredPrompt {
  requestId: string
  sessionId: string
  createdAt: number
  request: Pick<ChatRequest, 'messages' | 'tools'>
  agent: RequestAgent | null
  servedBy: string
  usage: UsageBuckets
  /** Null without a price, and where a plan pays. */
  rates: Rates | null
  discountPercent: number
}

interface PromptLogDeps {
  store: Store
  clock: Clock
  log: Log
}

class PromptLog implements RequestHook {
  readonly #deps: PromptLogDeps
  readonly #doctor = new CacheDoctor()
  /** Facts that are not written yet. */
  readonly #waiting: PromptFacts[] = []

  constructor(deps: PromptLogDeps) {
    this.#deps = deps
  }

  /** Records what the prompt consists of, if the provider has counted it. The work is done after the answer. */
  after(
    { call, serving, entry, meter }: Run,
    { status, charge: { usage, costStatus, tokensIn, price } }: FinalOutcome,
  ): void {
    const isCounted = costStatus === 'exact' || costStatus === 'plan'
    if (!serving || !usage || !isCounted || status !== 'succeeded' || call.mode.kind === 'raw') return
    if (tokensIn < MIN_PROMPT_TOKENS) return
    const { offer } = serving
    const isFree = costStatus === 'plan' || hasSamplePrices(offer.providerId)
    const prompt: AnsweredPrompt = {
      requestId: call.requestId,
      sessionId: call.session.id,
      createdAt: entry.request.createdAt,
      request: call.request,
      agent: call.agent,
      servedBy: `${offer.providerId}/${offer.upstreamModel}`,
      usage,
      rates: isFree ? null : (offer.price?.rates(tokensIn, price?.tier) ?? null),
      discountPercent: meter.discountPercent,
    }
    getTimers(this.#deps.clock).setImmediate(() => this.#add(prompt))
  }

  #add(prompt: AnsweredPrompt): void {
    const { clock, log } = this.#deps
    try {
      this.#waiting.push(this.#read(prompt))
    } catch (err) {
      log.warn('What a prompt consists of could not be read', { requestId: prompt.requestId, err })
      return
    }
    if (this.#waiting.length === 1)
      getTimers(clock)
        .setTimeout(() => this.#write(), WRITE_MS)
        .unref()
  }

  #write(): void {
    // A store that is closed or failing has said so for the requests.
    this.#deps.store.write('recordPrompts', this.#waiting.splice(0)).catch(() => undefined)
  }

  #read({ request, usage, rates, discountPercent, ...given }: AnsweredPrompt): PromptFacts {
    const { requestId, sessionId, createdAt, agent, servedBy } = given
    const shape = readPromptShape(request)
    const cacheBreak = this.#doctor.check({ sessionId, agent, servedBy, shape, usage, at: createdAt })
    const price = (counts: Partial<UsageBuckets>) =>
      rates
        ? costOfCalls(
            [{ usage: { ...NO_USAGE, ...counts }, rates: { ...rates, requests: 0 } }],
            discountPercent,
          )
        : 0
    const { cacheRead, cacheWrite5m, cacheWrite1h, input, audioInput, imageInput = 0 } = usage
    const promptNano = price({ input, cacheRead, cacheWrite5m, cacheWrite1h, audioInput, imageInput })
    const uncached = price({ input: cacheRead + cacheWrite5m + cacheWrite1h })
    const lostNano = cacheBreak ? priceLoss(cacheBreak, usage, price) : 0
    const sizes = PROMPT_PARTS.map((part) => shape.sizes[part])
    const whole = sizes.reduce((sum, size) => sum + size, 0) || 1
    const allocate = (size: number) => Math.round((promptNano * size) / whole)
    const [system = 0, tools = 0, history = 0, results = 0, media = 0] = sizes
    const broken: [] | [number, number, number] = cacheBreak
      ? [CACHE_CAUSES.indexOf(cacheBreak.cause), cacheBreak.lostTokens, lostNano]
      : []
    const stored: StoredPrompt = [system, tools, history, results, media, shape.tools.length, ...broken]
    const sums: PromptSums = {
      requests: 1,
      promptNano,
      savedNano: uncached - price({ cacheRead, cacheWrite5m, cacheWrite1h }),
      written: cacheWrite5m + cacheWrite1h,
      largest: tokensIn(usage),
      definitions: shape.tools.length,
      partNano: sizes.map(allocate),
      partSizes: sizes,
      servers: Object.fromEntries(
        [...shape.servers].map(([name, { tools: count, size }]) => [name, [count, allocate(size), size]]),
      ),
      results: Object.fromEntries([...shape.results].map(([name, size]) => [name, [allocate(size), size]])),
      called: [...shape.called],
      breaks: cacheBreak ? { [cacheBreak.cause]: [1, cacheBreak.lostTokens, lostNano] } : {},
    }
    return { requestId, sessionId, createdAt, stored, sums }
  }

  async report(query: CachingQuery): Promise<CachingReport> {
    const { session, client } = query
    const filter = { session, client, from: parseMoment(query.from), to: parseMoment(query.to) }
    return createReport(await this.#deps.store.read('listPromptSums', omitUndefined(filter)))
  }
}

/** The field of a request's record. */
export function viewPrompt([
  system,
  tools,
  history,
  results,
  media,
  toolCount,
  ...cacheBreak
]: StoredPrompt): RequestPrompt {
  const whole = system + tools + history + results + media || 1
  const [number, lostTokens = 0, nano = 0] = cacheBreak
  const cause = number === undefined ? undefined : CACHE_CAUSES[number]
  return {
    parts: {
      system: system / whole,
      tools: tools / whole,
      history: history / whole,
      results: results / whole,
      media: media / whole,
    },
    toolCount,
    break: cause ? { cause, lostTokens, lostUsd: nanoToUsd(nanoUsd(nano)) } : null,
  }
}

/** What the lost tokens cost more than reading them would have. */
function priceLoss(
  { lostTokens }: CacheBreak,
  { cacheWrite5m, cacheWrite1h }: UsageBuckets,
  price: (counts: Partial<UsageBuckets>) => number,
): number {
  const paid = cacheWrite1h > cacheWrite5m ? 'cacheWrite1h' : cacheWrite5m > 0 ? 'cacheWrite5m' : 'input'
  return Math.max(0, price({ [paid]: lostTokens }) - price({ cacheRead: lostTokens }))
}

const ADVICE: Readonly<Record<CacheCause, string>> = {
  lifetime:
    'The pauses were longer than the cache’s lifetime. Answer sooner, or use a model whose cache is kept for an hour.',
  model:
    'A conversation changed its model or provider. Each has a cache of its own: change it between sessions.',
  tools:
    'The definitions of tools changed within a conversation. Connect MCP servers before it begins, and keep them.',
  'tool-order':
    'The same tools came in another order. An MCP server or the client lists them in a changing order.',
  system:
    'The first instructions changed within a conversation. Look for a date, a time or a status in them.',
  history: 'The client changed earlier messages. Clients do so to shorten results or to remind the model.',
  compaction:
    'The client shortened the conversation, which is written to the cache again. Fewer, larger steps need it less often.',
  unknown:
    'The prompt began as before, so the provider dropped it or did not find it. There is nothing to change.',
}

const MAX_LISTED = 20
const DAY_MS = 86_400_000
const usd = (nano: number) => nanoToUsd(nanoUsd(Math.round(nano)))

function createReport(days: readonly SessionDay[]): CachingReport {
  const total = noPromptSums()
  for (const day of days) addPromptSums(total, day)
  const sizes = total.partSizes.reduce((sum, size) => sum + size, 0) || 1
  const called = total.called.map(findServer)
  const losses = [...Map.groupBy(days, ({ sessionId }) => sessionId)]
  return {
    ...summarize(days),
    parts: mapParts((at) => ({
      share: (total.partSizes[at] ?? 0) / sizes,
      usd: usd(total.partNano[at] ?? 0),
    })),
    tools: {
      perRequest: total.requests === 0 ? 0 : total.definitions / total.requests,
      called: total.called.length,
    },
    servers: Object.entries(total.servers)
      .sort(([, [, a]], [, [, b]]) => b - a)
      .map(([server, [tools, nano, size]]) => ({
        server,
        tools,
        share: size / sizes,
        usd: usd(nano),
        called: called.filter((name) => name === server).length,
      })),
    results: Object.entries(total.results)
      .sort(([, [a]], [, [b]]) => b - a)
      .slice(0, MAX_LISTED)
      .map(([tool, [nano, size]]) => ({ tool, share: size / sizes, usd: usd(nano) })),
    causes: CACHE_CAUSES.flatMap((cause) => {
      const found = total.breaks[cause]
      if (!found) return []
      const [breaks, lostTokens, nano] = found
      return [{ cause, breaks, lostTokens, lostUsd: usd(nano), advice: ADVICE[cause] }]
    }).sort((a, b) => b.lostUsd - a.lostUsd),
    weeks: [...Map.groupBy(days, ({ day }) => findMonday(day))].map(([week, group]) => ({
      week,
      ...summarize(group),
    })),
    clients: [...Map.groupBy(days, ({ client }) => client)]
      .map(([client, group]) => ({ client, ...summarize(group) }))
      .sort(byLoss),
    sessions: losses
      .map(([sessionId, group]) => ({ sessionId, ...summarize(group) }))
      .sort(byLoss)
      .slice(0, MAX_LISTED),
  }
}

function mapParts<T>(read: (at: number) => T): Record<(typeof PROMPT_PARTS)[number], T> {
  return { system: read(0), tools: read(1), history: read(2), results: read(3), media: read(4) }
}

const byLoss = (a: { lostUsd: number; promptUsd: number }, b: { lostUsd: number; promptUsd: number }) =>
  b.lostUsd - a.lostUsd || b.promptUsd - a.promptUsd

function summarize(days: readonly SessionDay[]) {
  const sum = (read: (day: SessionDay) => number) => days.reduce((total, day) => total + read(day), 0)
  const sumBreaks = (at: 0 | 2) =>
    sum(({ breaks }) => CACHE_CAUSES.reduce((total, cause) => total + (breaks[cause]?.[at] ?? 0), 0))
  const largest = new Map<string, number>()
  for (const { sessionId, largest: size } of days)
    largest.set(sessionId, Math.max(size, largest.get(sessionId) ?? 0))
  const written = sum((day) => day.written)
  const contexts = [...largest.values()].reduce((total, size) => total + size, 0)
  return {
    requests: sum((day) => day.requests),
    promptUsd: usd(sum((day) => day.promptNano)),
    savedUsd: usd(sum((day) => day.savedNano)),
    lostUsd: usd(sumBreaks(2)),
    breaks: sumBreaks(0),
    rewriteFactor: written === 0 ? null : written / contexts,
  }
}

function findMonday(day: number): string {
  const weekday = (new Date(day).getUTCDay() + 6) % 7
  return new Date(day - weekday * DAY_MS).toISOString().slice(0, 10)
}

export function createPromptDoctor(deps: PromptLogDeps): Feature {
  const log = new PromptLog(deps)
  return { hooks: [log], handlers: { getCaching: ({ query }) => log.report(query) } }
}
