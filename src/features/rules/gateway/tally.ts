// What a trial did to past requests, in sums and as a list.
import { formatTime } from '../../../gateway/platform/clock.ts'
import { nanoToUsd, nanoUsd } from '../../../shared/money/money.ts'
import { daySpan } from '../../../shared/values/calendar.ts'
import type { Rehearsal } from '../api/rehearsal.ts'
import type { PastRequest } from './past-rows.ts'
import type { Saving } from './saving.ts'

/** The most requests that are listed. */
const MAX_LISTED = 100

interface Changed {
  request: PastRequest
  /** Null where none would have served. */
  model: string | null
  saving: Saving | null
}

/** Requests come in the order of their time. */
export class Tally {
  readonly #from: number
  readonly #zone: string
  readonly #counts = { requests: 0, imported: 0, changed: 0, days: 0, unpriced: 0, unknown: 0 }
  #beforeNano = 0
  #savedNano = 0
  #rewriteNano = 0
  #firstAt: number | null = null
  #dayEnd = 0
  #listed: Changed[] = []

  constructor(from: number, zone: string) {
    this.#from = from
    this.#zone = zone
  }

  /** A request that was looked at. `isUnknown`: something that matters was not recorded. */
  add({ id, costNano }: PastRequest, isUnknown = false): void {
    this.#counts.requests += 1
    if (id === null) this.#counts.imported += 1
    if (isUnknown) this.#counts.unknown += 1
    this.#beforeNano += costNano ?? 0
  }

  /** Counts a request that would have been changed. `saving`: null without a known price. */
  change(request: PastRequest, model: string | null, saving: Saving | null): void {
    const { createdAt } = request
    this.#counts.changed += 1
    this.#firstAt ??= createdAt
    if (createdAt >= this.#dayEnd) {
      this.#counts.days += 1
      this.#dayEnd = daySpan(createdAt, this.#zone).end
    }
    if (saving) {
      this.#savedNano += saving.savedNano
      this.#rewriteNano += saving.rewriteNano
    } else this.#counts.unpriced += 1
    this.#listed.push({ request, model, saving })
    if (this.#listed.length > 20 * MAX_LISTED) this.#listed = pickLargest(this.#listed)
  }

  report(): Rehearsal {
    return {
      from: formatTime(this.#from),
      timeZone: this.#zone,
      ...this.#counts,
      firstAt: this.#firstAt === null ? null : formatTime(this.#firstAt),
      beforeUsd: toUsd(this.#beforeNano),
      afterUsd: toUsd(this.#beforeNano - this.#savedNano + this.#rewriteNano),
      savedUsd: toUsd(this.#savedNano),
      rewriteUsd: toUsd(this.#rewriteNano),
      data: pickLargest(this.#listed).map(({ request, model, saving }) => ({
        requestId: request.id,
        importedSession: request.id === null ? request.session.slice(request.session.indexOf(' ') + 1) : null,
        at: formatTime(request.createdAt),
        program: request.program,
        askedModel: request.askedModel,
        model,
        costUsd: request.costNano === null ? null : toUsd(request.costNano),
        savedUsd: saving && toUsd(saving.savedNano),
        rewriteUsd: saving && toUsd(saving.rewriteNano),
      })),
    }
  }
}

function toUsd(nano: number): number {
  return nanoToUsd(nanoUsd(nano))
}

/** The largest savings, and among equal ones the most expensive requests. */
function pickLargest(listed: readonly Changed[]): Changed[] {
  const rank = ({ saving }: Changed) => (saving ? Math.abs(saving.savedNano) : -1)
  return listed
    .toSorted((a, b) => rank(b) - rank(a) || (b.request.costNano ?? 0) - (a.request.costNano ?? 0))
    .slice(0, MAX_LISTED)
}
