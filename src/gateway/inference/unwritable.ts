import { StoreError } from '../store/store.ts'
import { RequestAborted } from './in-flight.ts'

/** Why a row cannot be written, and what the user can do. */
const REASONS: Partial<Record<StoreError['code'], readonly [reason: string, advice: string]>> = {
  full: ['the disk is full', 'Free some space and try again'],
  locked: ['another program holds the ledger', 'Close it and try again'],
}

/** What the client gets when the row of its request cannot be written. `isSent`: it may have reached a provider. */
export function unwritable(error: unknown, isSent: boolean): Error {
  if (!(error instanceof StoreError)) return error instanceof Error ? error : new Error(String(error))
  const [reason, advice] = REASONS[error.code] ?? ['the ledger cannot be written', 'Try again']
  const what = isSent ? 'The request was canceled' : 'The request was not sent'
  return new RequestAborted(503, {
    type: 'server_error',
    message: `${what}: ${reason}, so its cost could not be recorded. ${advice}.`,
    code: 'ledger_unavailable',
  })
}
