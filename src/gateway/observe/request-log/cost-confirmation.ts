import type { RequestRecord } from '../../../shared/api/requests.ts'
import { nanoToUsd, usdToNano } from '../../../shared/money/money.ts'
import type { ApiKeys } from '../../keys/api-keys.ts'
import type { Clock } from '../../platform/clock.ts'
import { type GatewayError, invalidRequest, notFound } from '../../platform/errors.ts'
import type { EventHub } from '../../platform/events.ts'
import type { AccountService } from '../../spend/account.ts'
import type { Budget } from '../../spend/budget.ts'
import type { Charging } from '../../spend/cap-alerts.ts'
import type { Holds } from '../../spend/holds.ts'
import type { ConfirmRefusal, CostConfirmation, Store } from '../../store/store.ts'
import type { Records } from './records.ts'
import type { SessionLog } from './session-log.ts'

interface Deps {
  store: Store
  clock: Clock
  keys: ApiKeys
  account: AccountService
  budget: Budget
  holds: Holds
  charging: Charging
  records: Records
  events: EventHub
  sessionLog: SessionLog
}

/** Lets the user settle an unsettled charge: in the ledger first, then in memory. */
export class CostConfirmations {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Charges an unsettled request its actual cost, in USD. Throws 404, 400 `not_unsettled`, and 400 for a cost outside
   * its bounds.
   */
  settle(id: string, costUsd: number): Promise<RequestRecord> {
    return this.confirm({ id, costNano: usdToNano(costUsd), by: 'user' })
  }

  /** Confirms as `settle` does; by a reconciliation also an estimated charge. */
  async confirm(confirmation: Omit<CostConfirmation, 'at'>): Promise<RequestRecord> {
    const { store, clock, keys, account, budget, holds, charging, records, events, sessionLog } = this.#deps
    const { id } = confirmation
    const result = await store.write('confirmCost', { ...confirmation, at: clock.now() })
    if (!result.confirmed) throw toGatewayError(id, result.refusal)
    const { request, differenceNano } = result
    const key = keys.require(request.keyId)
    const { model, requestedModel, provider, ...made } = request
    charging.charge(differenceNano, {
      ...made,
      key,
      model: model ?? requestedModel,
      provider: provider ?? '',
    })
    holds.end(id)
    const record = records.view(request)
    events.publish('request', () => ({ type: 'request', request: record }))
    keys.announce(key)
    sessionLog.announce(request.sessionId)
    account.announce()
    // A lower charge may let a waiting request start.
    budget.wakeWaiters()
    return record
  }

  /**
   * Releases what is held for a request: the user knows that its provider will bill no more. Throws 404 for an unknown
   * request, and 400 `not_held`.
   */
  async release(id: string): Promise<RequestRecord> {
    const { holds, records, events } = this.#deps
    await records.get(id)
    await holds.release(id)
    const record = await records.get(id)
    events.publish('request', () => ({ type: 'request', request: record }))
    return record
  }
}

function toGatewayError(id: string, refusal: ConfirmRefusal): GatewayError {
  switch (refusal.reason) {
    case 'unknown_request':
      return notFound(`There is no request "${id}".`)
    case 'not_unsettled':
      return invalidRequest(
        `The cost of this request is "${refusal.costStatus}", so there is nothing to settle. Only a request whose costStatus is "unsettled" can be settled, and only once.`,
        { code: 'not_unsettled' },
      )
    case 'out_of_bounds':
      return invalidRequest(
        `"costUsd" must be between ${nanoToUsd(refusal.lowNano)} and ${nanoToUsd(refusal.highNano)}: the request cannot have cost less or more.`,
        { param: 'costUsd' },
      )
  }
}
