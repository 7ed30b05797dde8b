import type { EventHub } from '../../platform/events.ts'
import type { RequestGroup, RequestGroupFilter, Store } from '../../store/store.ts'

const KEPT_MS = 60_000

/**
 * The groups that were read last. Reading a million requests takes seconds, and a user looks at them again and again: by
 * other keys, and with other models. They are kept until a request of their time changes.
 */
export class RecentGroups {
  readonly #store: Pick<Store, 'read'>
  readonly #events: EventHub
  #kept: { name: string; groups: Promise<readonly RequestGroup[]> } | null = null
  #unsubscribe: (() => void) | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(store: Pick<Store, 'read'>, events: EventHub) {
    this.#store = store
    this.#events = events
  }

  read(filter: RequestGroupFilter): Promise<readonly RequestGroup[]> {
    const name = JSON.stringify(filter)
    if (this.#kept?.name === name) return this.#kept.groups
    this.#forget()
    // Events make work for every request, so there is a listener only while something is kept.
    this.#unsubscribe = this.#events.subscribe(
      (event) => {
        if (event.type === 'request' && isWithin(Date.parse(event.request.createdAt), filter)) this.#forget()
      },
      { types: ['request'] },
    )
    this.#timer = setTimeout(() => this.#forget(), KEPT_MS).unref()
    const groups = this.#store.read('groupRequests', filter)
    this.#kept = { name, groups }
    groups.catch(() => this.#forget())
    return groups
  }

  #forget(): void {
    this.#kept = null
    this.#unsubscribe?.()
    this.#unsubscribe = null
    clearTimeout(this.#timer)
  }
}

function isWithin(at: number, { from = 0, to = Number.POSITIVE_INFINITY }: RequestGroupFilter): boolean {
  return at >= from && at < to
}
