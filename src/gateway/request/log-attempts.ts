import { nanoToUsd } from '../../shared/money.ts'
import type { Log } from '../platform/log.ts'
import type { Outcome } from './ledger-rows.ts'

/** Logs the attempts that failed. Their error texts are left out: providers quote prompts in them. */
export function logFailedAttempts(
  { attempts, status: outcome }: Pick<Outcome, 'attempts' | 'status'>,
  requestId: string,
  log: Log,
): void {
  // That a client disconnected is not the provider's failure.
  const level = outcome === 'canceled' ? 'debug' : 'warn'
  for (const { provider, model, status, ms, error } of attempts) {
    if (error === null) continue
    log[level]('Attempt failed', {
      requestId,
      provider,
      model,
      durationMs: ms,
      ...(status === null ? {} : { status }),
    })
  }
}

/** Logs a report that was not charged because it is far above what the request can cost. */
export function logExcessiveReport(
  {
    charge: { costStatus, costNano, costHighNano },
    provider,
    model,
  }: Pick<Outcome, 'charge' | 'provider' | 'model'>,
  requestId: string,
  log: Log,
): void {
  if (costStatus !== 'estimated' || costNano === null || costHighNano === null) return
  log.warn(
    `The provider reported ${nanoToUsd(costHighNano)} USD, far more than the request can cost; ${nanoToUsd(costNano)} USD are charged`,
    {
      requestId,
      ...(provider !== null && { provider }),
      ...(model !== null && { model }),
    },
  )
}
