import { NANO_PER_USD } from '../../../shared/money/money.ts'
import type { ReconciliationSummary, Settleable } from '../api/reconciliations.ts'

/** How much of the charges is open and settled, summed in whole nano-dollars. */
export function getState(settleable: readonly Settleable[]): Pick<ReconciliationSummary, 'open' | 'settled'> {
  const sum = (state: 'open' | 'settled') => {
    const charges = settleable.filter((charge) => charge.state === state)
    const nano = charges.reduce(
      (total, { beforeUsd, afterUsd }) =>
        total + Math.round(afterUsd * NANO_PER_USD) - Math.round(beforeUsd * NANO_PER_USD),
      0,
    )
    return { requests: charges.length, changeUsd: nano / NANO_PER_USD }
  }
  return { open: sum('open'), settled: sum('settled') }
}
