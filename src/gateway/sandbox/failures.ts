import { setTimeout as delay } from 'node:timers/promises'
import { UpstreamFailure } from '../formats/chat/failure.ts'

export function cutFailure(): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'network',
    message: 'The sandbox cut its answer short, as the prompt commanded.',
  })
}

export function timeoutFailure(what: 'nothing' | 'no more of its answer'): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'timeout',
    message: `The sandbox sent ${what} in time, as the prompt commanded.`,
  })
}

export function statusFailure(status: number): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'status',
    status,
    code: 'sandbox_error',
    message: `The sandbox failed with status ${status}, as the prompt commanded.`,
  })
}

/** Waits. Throws an `aborted` UpstreamFailure when the signal aborts. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  try {
    if (ms > 0) await delay(ms, undefined, { signal })
    else signal.throwIfAborted()
  } catch {
    throw new UpstreamFailure({
      kind: 'aborted',
      message: 'The request was ended before its answer was complete.',
    })
  }
}
