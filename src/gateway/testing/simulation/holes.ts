// Holes that caps could have, put into a simulated process one at a time: each must break an invariant.
import { ZERO_USD } from '../../../shared/money/money.ts'
import { computeLeft } from '../../spend/limit.ts'
import type { Reservation } from '../../spend/reservation.ts'
import type { Services } from './process.ts'

export type Hole = (services: Services) => void

/** A report so many times above the bound was once taken for a mistake. */
const MAX_TIMES = 10

const isAsked = ({ limits }: Reservation): boolean =>
  limits.stops.some((limit) => limit.terms.action === 'ask' && computeLeft(limit) <= 0)

export const holes = {
  'a stream whose next part does not fit goes on'({ budget }) {
    const extend = budget.extend.bind(budget)
    budget.extend = (reservation, need) => {
      const left = budget.limits.computeLeft(reservation.limits) + reservation.amount
      if (need.target <= left) return extend(reservation, need)
      budget.book(reservation, need.booked)
      return need.target
    }
  },
  'a stream is not booked while the owner is asked'({ budget }) {
    const extend = budget.extend.bind(budget)
    const book = budget.book.bind(budget)
    budget.extend = (reservation, need) => (isAsked(reservation) ? need.target : extend(reservation, need))
    budget.book = (reservation, booked) => {
      if (!isAsked(reservation)) book(reservation, booked)
    }
  },
  'a crash leaves of a stream what it had reserved at its start'({ ledger }) {
    const open = ledger.open.bind(ledger)
    ledger.open = (row, reservation, inFlight) =>
      open({ ...row, reservedNano: reservation.amount }, reservation, inFlight)
  },
  'a report far above the bound is replaced by it'({ ledger }) {
    const settle = ledger.settle.bind(ledger)
    ledger.settle = (entry, outcome) => {
      const { charge } = outcome
      const most = entry.request.reservedNano
      if ((charge.costNano ?? 0) <= most * MAX_TIMES) return settle(entry, outcome)
      const replaced = { ...charge, costNano: most, costStatus: 'estimated' as const }
      return settle(entry, { ...outcome, charge: replaced, heldNano: ZERO_USD })
    }
  },
  'only the model that a rule has chosen serves'({ hooks }) {
    hooks.push({
      before(arrival) {
        const { call } = arrival
        const model = call.instead?.offers[0]?.id
        if (model) arrival.call = { ...call, request: { ...call.request, model }, instead: null }
        return undefined
      },
    })
  },
  'each request has a credential of its own'({ providers }) {
    const order = providers.credentialOrder.bind(providers)
    let calls = 0
    providers.credentialOrder = (id, sessionId) => {
      const indexes = order(id, sessionId)
      calls += 1
      return indexes.toSorted((a, b) => ((a + calls) % indexes.length) - ((b + calls) % indexes.length))
    }
  },
} satisfies Readonly<Record<string, Hole>>
