import type { Attempt } from '../../shared/requests.ts'
import type { Log } from '../platform/log.ts'

/** Logs the attempts that failed. Their error texts are left out: providers quote prompts in them. */
export function logFailedAttempts(attempts: readonly Attempt[], requestId: string, log: Log): void {
  for (const { provider, model, status, ms, error } of attempts) {
    if (error === null) continue
    log.warn('Attempt failed', {
      requestId,
      provider,
      model,
      durationMs: ms,
      ...(status === null ? {} : { status }),
    })
  }
}
