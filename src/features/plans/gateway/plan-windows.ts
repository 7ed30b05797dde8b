// The windows of plans: how much of them is used, as the answers of their vendors say. What a vendor does not say is unknown.
import { createHash } from 'node:crypto'
import type { OpenWindow } from '../../../gateway/observe/request-log/usage-sums.ts'
import { formatTime, getTimers } from '../../../gateway/platform/clock.ts'
import { GatewayError, notFound } from '../../../gateway/platform/errors.ts'
import type { PlainHeaders } from '../../../gateway/platform/headers.ts'
import type { CommonServices } from '../../../gateway/settings/settings.ts'
import { crossedThreshold } from '../../../gateway/spend/cap-alerts.ts'
import type { PlanAlert, PlanHistory, PlanState, PlanWindow } from '../../../shared/api/plans.ts'
import { isPlan, PLAN_VENDORS } from '../../../shared/api/terms.ts'
import type { PlanPoint, PlanReport, StoredPlan, WindowReport } from './plan-rows.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

type VendorReport = Omit<PlanReport, 'refusedUntil'>

interface Plan extends StoredPlan {
  /** The points of the last hour, for the forecast, the oldest first. */
  recent: PlanPoint[]
  /** The windows whose next reset was announced, with its time. */
  announced: Map<string, number>
}

export interface UsedUpWindow {
  plan: Plan
  window: WindowReport
}

/** The answer of a plan's vendor to one request. */
export interface PlanAnswer {
  provider: string
  /** The account that the client names; null where the answer does. */
  account: string | null
  /** The key that came with the request. */
  keyId: string
  headers: PlainHeaders
  /** Whether the vendor answered with 429. */
  isRefused: boolean
}

/** Keeps the windows of each account's plan, warns of them, and says when one will be full. */
export class PlanWindows {
  readonly #deps: CommonServices
  readonly #plans = new Map<string, Plan>()
  /** The plan that last answered for a key. */
  readonly #byKey = new Map<string, Plan>()
  #resetTimer: NodeJS.Timeout | undefined

  constructor(deps: CommonServices) {
    this.#deps = deps
  }

  /** Loads the plans as their vendors last reported them. */
  async start(): Promise<void> {
    const stored = await this.#deps.store.write('readPlans')
    for (const plan of stored) this.#plans.set(plan.id, { ...plan, recent: [], announced: new Map() })
    this.#waitForReset()
  }

  /** Takes over what an answer reports. Nothing changes if it reports nothing. */
  observe({ provider, account, keyId, headers, isRefused }: PlanAnswer): void {
    const { clock, events, store, log } = this.#deps
    const read = readPlanReport(headers, clock.now())
    if (!read) return
    const id = createPlanId(provider, account ?? headers['anthropic-organization-id'] ?? '')
    const previousPlan = this.#plans.get(id)
    const reset = findReset(read, headers)
    // Other models may still be served.
    const isStillRefused = !read.isExtra && reset !== null && reset === previousPlan?.report.refusedUntil
    const report = { ...read, refusedUntil: isRefused || isStillRefused ? reset : null }
    const plan: Plan = {
      id,
      provider,
      report,
      updatedAt: clock.now(),
      recent: previousPlan?.recent ?? [],
      announced: previousPlan?.announced ?? new Map(),
    }
    const points = listPoints(plan, previousPlan)
    plan.recent = [...plan.recent, ...points].filter(({ at }) => plan.updatedAt - at <= HOUR_MS)
    this.#plans.set(id, plan)
    this.#byKey.set(keyId, plan)
    this.#warn(plan, previousPlan)
    this.#waitForReset()
    events.publish('plan', () => ({ type: 'plan', plan: this.#view(plan) }))
    const { recent: _recent, announced: _announced, ...row } = plan
    store
      .writeSoon('putPlan', row, points)
      .catch((err: unknown) => log.warn('The windows of a plan could not be stored', { err }))
  }

  list(): PlanState[] {
    return [...this.#plans.values()].map((plan) => this.#view(plan))
  }

  /** Throws 404. */
  async history(
    id: string,
    { from, to }: { from?: string | undefined; to?: string | undefined },
  ): Promise<PlanHistory> {
    this.#require(id)
    const range = {
      from: from === undefined ? 0 : Date.parse(from),
      to: to === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(to),
    }
    const points = await this.#deps.store.read('planHistory', id, range)
    return { data: points.map((point) => ({ ...point, at: formatTime(point.at) })) }
  }

  /** The windows that are open now, with their beginning in epoch milliseconds. Throws 404. */
  listOpen(id: string): OpenWindow[] {
    const { provider, report } = this.#require(id)
    const now = this.#deps.clock.now()
    return report.windows.flatMap(({ name, utilization, resetsAt, lengthMs }) => {
      if (resetsAt === null || lengthMs === null || resetsAt <= now) return []
      const model = MODEL_WINDOW.exec(name)?.[1] ?? null
      return [{ name, provider, model, utilization, from: resetsAt - lengthMs }]
    })
  }

  #require(id: string): Plan {
    const plan = this.#plans.get(id)
    if (!plan) throw notFound(`There is no plan "${id}".`)
    return plan
  }

  /** The 402 for a request that would be charged as extra usage, although the user wants `planOnly`; null if it is included. */
  findRefusal(provider: string, keyId: string): GatewayError | null {
    if (!this.#deps.settings.value.planOnly) return null
    const now = this.#deps.clock.now()
    const plan = this.#find({ provider, account: null, keyId })
    const full = plan && findFull(plan.report, now)
    if (!full) return null
    const name = `The window of ${labelWindow(full)} of your ${PLAN_VENDORS[provider]} plan`
    const until = full.resetsAt === null ? '' : ` It resets at ${formatTime(full.resetsAt)}.`
    return new GatewayError({
      status: 402,
      code: 'plan_used_up',
      message: `${name} is used up, and further requests are charged as extra usage.${until} To allow them, turn "Plan only" off under Settings.`,
      headers:
        full.resetsAt === null ? {} : { 'retry-after': String(Math.ceil((full.resetsAt - now) / 1000)) },
    })
  }

  /** The window for which a plan's next request for the model would be refused, by its vendor or by `planOnly`; null for none. */
  findUsedUp(model: string, asked: Pick<PlanAnswer, 'provider' | 'account' | 'keyId'>): UsedUpWindow | null {
    const plan = this.#find(asked)
    const now = this.#deps.clock.now()
    if (!plan) return null
    const { windows, refusedUntil } = plan.report
    const charged = this.#deps.settings.value.planOnly ? findFull(plan.report, now) : null
    if (charged) return { plan, window: charged }
    if (!refusedUntil || refusedUntil <= now) return null
    const window = windows.find((each) => isFull(each) && each.resetsAt === refusedUntil) ?? windows[0]
    const only = MODEL_WINDOW.exec(window?.name ?? '')?.[1] ?? ''
    return window && model.includes(only) ? { plan, window } : null
  }

  /** Says that a session is billed by API key. */
  announceOverflow({ plan, window }: UsedUpWindow): void {
    this.#publish(plan, window, { kind: 'overflow', percent: Math.round((window.utilization ?? 1) * 100) })
  }

  /** What a session was paid with so far; null for one that has not begun. */
  async findPayer(sessionId: string): Promise<'plan' | 'key' | null> {
    const stored = await this.#deps.store.read('getSession', sessionId)
    if (!stored || stored.models.length === 0) return null
    return stored.models.some(({ provider }) => isPlan(provider)) ? 'plan' : 'key'
  }

  close(): void {
    getTimers(this.#deps.clock).clear(this.#resetTimer)
  }

  /** The plan of the account, else the one that last answered for the key, else that of the last answer. */
  #find({ provider, account, keyId }: Pick<PlanAnswer, 'provider' | 'account' | 'keyId'>): Plan | undefined {
    if (account !== null) return this.#plans.get(createPlanId(provider, account))
    const ofKey = this.#byKey.get(keyId)
    if (ofKey?.provider === provider) return ofKey
    const plans = [...this.#plans.values()].filter((plan) => plan.provider === provider)
    return plans.sort((a, b) => b.updatedAt - a.updatedAt)[0]
  }

  #view({ id, provider, report, updatedAt, recent }: Plan): PlanState {
    const now = this.#deps.clock.now()
    const vendor = `${PLAN_VENDORS[provider]} plan`
    const others = [...this.#plans.values()].filter((plan) => plan.provider === provider)
    const { extraUsage, windows, refusedUntil, ...rest } = report
    return {
      id,
      provider,
      name: others.length > 1 ? `${vendor} …${id.slice(-4)}` : vendor,
      ...rest,
      windows: windows.map((window) => toWindow(window, recent, now)),
      extraUsage: extraUsage && { ...extraUsage, resetsAt: formatTime(extraUsage.resetsAt) },
      refusedUntil: refusedUntil && refusedUntil > now ? formatTime(refusedUntil) : null,
      updatedAt: formatTime(updatedAt),
    }
  }

  /** Announces each percentage that a window has reached since its last report. */
  #warn(plan: Plan, previousPlan: Plan | undefined): void {
    const thresholds = this.#deps.settings.value.planNotifyAtPercent
    for (const window of plan.report.windows) {
      if (window.utilization === null) continue
      const last = previousPlan?.report.windows.find(({ name }) => name === window.name)
      const isSame = last !== undefined && last.resetsAt === window.resetsAt
      const earlier = isSame ? (last.utilization ?? 0) : 0
      const percent = crossedThreshold(thresholds, earlier, window.utilization, 1)
      if (percent !== null) this.#publish(plan, window, { kind: 'used', percent })
    }
  }

  /** Waits for the next window that is to be announced before it resets. */
  #waitForReset(): void {
    const timers = getTimers(this.#deps.clock)
    timers.clear(this.#resetTimer)
    const minutes = this.#deps.settings.value.planResetNoticeMinutes
    if (minutes === null) return
    const now = this.#deps.clock.now()
    const due = [...this.#plans.values()].flatMap((plan) =>
      plan.report.windows.flatMap((window) => {
        const { resetsAt, utilization, name } = window
        if (resetsAt === null || utilization === null || resetsAt <= now) return []
        return plan.announced.get(name) === resetsAt
          ? []
          : [{ plan, window, resetsAt, at: resetsAt - minutes * MINUTE_MS }]
      }),
    )
    for (const { plan, window, resetsAt, at } of due) {
      if (at > now) continue
      plan.announced.set(window.name, resetsAt)
      const percent = Math.round((window.utilization ?? 0) * 100)
      this.#publish(plan, window, { kind: 'reset', percent })
    }
    const next = Math.min(...due.filter(({ at }) => at > now).map(({ at }) => at))
    if (next === Infinity) return
    this.#resetTimer = timers.setTimeout(() => this.#waitForReset(), Math.min(next - now, HOUR_MS))
    this.#resetTimer.unref()
  }

  #publish(plan: Plan, window: WindowReport, what: Pick<PlanAlert, 'kind' | 'percent'>): void {
    const { id, name } = this.#view(plan)
    const resetsAt = formatTime(window.resetsAt)
    const alert = { plan: id, name, window: labelWindow(window), resetsAt, ...what }
    this.#deps.events.publish('plan-alert', () => ({ type: 'plan-alert', alert }))
  }
}

/** An id that does not show the account. */
function createPlanId(provider: string, account: string): string {
  const hash = createHash('sha256').update(`${provider}\n${account}`).digest('hex')
  return `${provider}-${hash.slice(0, 12)}`
}

/** The windows whose utilization has changed. */
function listPoints({ report, updatedAt }: Plan, previousPlan: Plan | undefined): PlanPoint[] {
  return report.windows.flatMap(({ name, utilization }) => {
    const last = previousPlan?.report.windows.find((window) => window.name === name)
    const isNew = utilization !== null && utilization !== last?.utilization
    return isNew ? [{ window: name, at: updatedAt, utilization }] : []
  })
}

function isFull({ utilization, status }: WindowReport): boolean {
  return status === 'rejected' || (utilization ?? 0) >= 1
}

/** When a plan whose window is used up serves again, in epoch milliseconds; null where the vendor does not say. */
function findReset({ windows, status }: VendorReport, headers: PlainHeaders): number | null {
  const resets = windows.filter(isFull).flatMap(({ resetsAt }) => resetsAt ?? [])
  if (resets.length > 0) return Math.max(...resets)
  return status === 'rejected' ? toMs(headers[`${UNIFIED}reset`] ?? null) : null
}

/** The window that is used up, so that more is charged as extra usage; null if there is none, or no extra usage either. */
function findFull({ windows, status, extraUsage, isExtra }: PlanReport, now: number): WindowReport | null {
  const isCharged = isExtra || extraUsage?.status?.startsWith('allowed')
  if (!isCharged) return null
  const open = windows.filter(({ resetsAt }) => resetsAt === null || resetsAt > now)
  return open.find(isFull) ?? (status === 'rejected' ? (open[0] ?? null) : null)
}

/** The shortest time from which a rate is concluded. */
const LEAST_RATE_MS = 5 * MINUTE_MS

/** As the API shows it. Once a window has reset, nothing is known of it until the next answer. */
function toWindow(window: WindowReport, recent: readonly PlanPoint[], now: number): PlanWindow {
  const hasReset = window.resetsAt !== null && window.resetsAt <= now
  const { name, lengthMs, resetsAt } = window
  const utilization = hasReset ? null : window.utilization
  return {
    name,
    label: labelWindow(window),
    utilization,
    status: hasReset ? null : window.status,
    resetsAt: hasReset ? null : formatTime(resetsAt),
    lengthMs,
    fullAt: utilization === null ? null : formatTime(findEnd(window, recent, now)),
  }
}

/** When the window is full at the rate of the last hour; null if it resets before, or the rate is not known. */
function findEnd({ name, utilization, resetsAt }: WindowReport, recent: readonly PlanPoint[], now: number) {
  const [first] = recent.filter(({ window, at }) => window === name && now - at <= HOUR_MS)
  if (!first || utilization === null || now - first.at < LEAST_RATE_MS) return null
  const perMs = (utilization - first.utilization) / (now - first.at)
  if (perMs <= 0 || utilization >= 1) return null
  const at = Math.round(now + (1 - utilization) / perMs)
  return resetsAt !== null && at >= resetsAt ? null : at
}

/** The name of a window of one model only: `7d_opus`. */
const MODEL_WINDOW = /^\d+[hd]_(\w+)$/

function labelWindow({ name, lengthMs }: Pick<WindowReport, 'name' | 'lengthMs'>): string {
  const model = MODEL_WINDOW.exec(name)?.[1]
  const of = model === undefined ? '' : ` of ${model.charAt(0).toUpperCase()}${model.slice(1)}`
  if (lengthMs === null) return name
  const days = Math.round(lengthMs / DAY_MS)
  if (days === 7) return `a week${of}`
  if (lengthMs >= DAY_MS) return `${days} days${of}`
  const hours = Math.round(lengthMs / HOUR_MS)
  return `${hours === 0 ? `${Math.round(lengthMs / MINUTE_MS)} minutes` : `${hours} hours`}${of}`
}

// The reports of vendors. Anthropic's headers are not documented; they were observed with Claude Code (code.claude.com/docs,
// gateway protocol). Codex's are those that its own client reads (`codex-api/src/rate_limits.rs`).

const UNIFIED = 'anthropic-ratelimit-unified-'
const UNIFIED_WINDOW = /^anthropic-ratelimit-unified-(\d+[hd](?:_\w+)?)-(utilization|reset|status)$/

/** Null if the answer says nothing of a plan. `now`: epoch milliseconds. */
function readPlanReport(headers: PlainHeaders, now: number): VendorReport | null {
  return readUnified(headers) ?? readCodex(headers, now)
}

function readUnified(headers: PlainHeaders): VendorReport | null {
  const names = new Set(Object.keys(headers).flatMap((name) => UNIFIED_WINDOW.exec(name)?.[1] ?? []))
  const readUnified = (name: string) => headers[`${UNIFIED}${name}`] ?? null
  const status = readUnified('status')
  if (names.size === 0 && status === null) return null
  const windows = [...names].map((name) => ({
    name,
    utilization: toNumber(readUnified(`${name}-utilization`)),
    status: readUnified(`${name}-status`),
    resetsAt: toMs(readUnified(`${name}-reset`)),
    lengthMs: parseLength(name),
  }))
  const extra = { status: readUnified('overage-status'), reason: readUnified('overage-disabled-reason') }
  const hasExtra = extra.status !== null || extra.reason !== null
  return {
    status,
    windows: windows.sort((a, b) => (a.lengthMs ?? 0) - (b.lengthMs ?? 0) || a.name.localeCompare(b.name)),
    extraUsage: hasExtra ? { ...extra, resetsAt: toMs(readUnified('overage-reset')) } : null,
    isExtra: status === 'rejected' && extra.status?.startsWith('allowed') === true,
  }
}

function parseLength(name: string): number | null {
  const [, count, unit] = /^(\d+)([hd])/.exec(name) ?? []
  return count === undefined ? null : Number(count) * (unit === 'd' ? DAY_MS : HOUR_MS)
}

function readCodex(headers: PlainHeaders, now: number): VendorReport | null {
  const windows = ['primary', 'secondary'].flatMap((name): WindowReport[] => {
    const readNumber = (member: string) => toNumber(headers[`x-codex-${name}-${member}`] ?? null)
    const percent = readNumber('used-percent')
    if (percent === null) return []
    const minutes = readNumber('window-minutes')
    const at = readNumber('reset-at')
    const after = readNumber('reset-after-seconds')
    const resetsAt = at !== null ? at * 1000 : after === null ? null : now + after * 1000
    const lengthMs = minutes === null ? null : minutes * MINUTE_MS
    return [{ name, utilization: percent / 100, status: null, resetsAt, lengthMs }]
  })
  if (windows.length === 0) return null
  const credits = headers['x-codex-credits-has-credits']?.toLowerCase()
  const isFull = windows.some(({ utilization }) => (utilization ?? 0) >= 1)
  return {
    status: null,
    windows,
    extraUsage:
      credits === undefined
        ? null
        : { status: credits === 'true' ? 'allowed' : 'none', resetsAt: null, reason: null },
    isExtra: isFull && credits === 'true',
  }
}

function toNumber(text: string | null): number | null {
  if (text === null || text.trim() === '') return null
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 ? value : null
}

/** Epoch milliseconds of the seconds that a header has. */
function toMs(text: string | null): number | null {
  const seconds = toNumber(text)
  return seconds === null ? null : seconds * 1000
}
