import { mayBeBilled } from '../formats/upstream-failure.ts'
import type { FailedAttempt } from '../routing/route.ts'
import type { Admitted } from './call.ts'
import type { Candidate } from './candidates.ts'
import { addCharges, type Charge, FREE } from './charge.ts'
import { maxCost } from './worst-case.ts'

export interface FailedCharge {
  charge: Charge
  /** Null where nothing is charged. */
  candidate: Candidate | null
}

export const NO_CHARGE: FailedCharge = { charge: FREE, candidate: null }

/**
 * The charge of a request without an answer: the choices that were answered, and of the attempts whose provider may
 * have worked without saying so, the most expensive one. A request is charged once, however often it was attempted.
 */
export async function chargeFailed(
  { meter, discountPercent }: Pick<Admitted, 'meter' | 'discountPercent'>,
  failed: readonly FailedAttempt<Candidate>[],
): Promise<FailedCharge> {
  const answered = await chargeAnsweredChoices(meter, failed)
  const billable = failed.filter(({ failure }) => mayBeBilled(failure))
  if (billable.length === 0) return answered
  await meter.prepare()
  const { charge, candidate } = billable
    .map(({ route, failure }) => {
      const max = maxCost(route, route.bound.output, discountPercent)
      return { candidate: route, charge: meter.unsettledCharge(route, failure.usage, max) }
    })
    .reduce((highest, each) => (rank(each.charge) >= rank(highest.charge) ? each : highest))
  return { charge: addCharges(charge, answered.charge), candidate }
}

/** The charge of choices that were answered before the others failed. */
export async function chargeAnsweredChoices(
  meter: Admitted['meter'],
  failed: readonly FailedAttempt<Candidate>[],
): Promise<FailedCharge> {
  let all = NO_CHARGE
  for (const { route, answered } of failed) {
    for (const answer of answered) {
      all = { charge: addCharges(all.charge, await meter.chargeOfAnswer(route, answer)), candidate: route }
    }
  }
  return all
}

/** An unknown cost counts less than any known one. */
function rank({ costNano }: Charge): number {
  return costNano ?? -1
}
