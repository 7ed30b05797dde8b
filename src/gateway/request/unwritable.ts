import { StoreError } from '../store/store.ts'
import { RequestAborted } from './in-flight.ts'

/** Why a row cannot be written, and what the user can do. */
const REASONS: Partial<Record<StoreError['code'], readonly [reason: string, advice: string]>> = {
  full: ['the disk is full', 'Free some space and try again'],
  locked: ['another program holds the ledger', 'Close it and try again'],
}

/** How far a request had come when it could not be recorded. */
type Progress = 'unsent' | 'sent' | 'answered'

const WHAT: Record<Progress, string> = {
  unsent: 'The request was not sent',
  sent: 'The request was canceled',
  answered: 'The answer was withheld',
}

/** What the client gets instead of an answer when the row or the charge of its request cannot be written. */
export function unwritable(error: unknown, progress: Progress): RequestAborted {
  const code = error instanceof StoreError ? error.code : 'failed'
  const [reason, advice] = REASONS[code] ?? ['the ledger cannot be written', 'Try again']
  return new RequestAborted(503, {
    type: 'server_error',
    message: `${WHAT[progress]}: ${reason}, so its cost could not be recorded. ${advice}.`,
    code: 'ledger_unavailable',
  })
}
