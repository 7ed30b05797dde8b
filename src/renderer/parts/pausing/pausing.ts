import { toast } from 'sonner'
import { create } from 'zustand'
import type { Account } from '../../../shared/api/account.ts'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import {
  computeRaise,
  type Limit,
  limitsThatStop,
  nameLimit,
  RAISE_USD,
  raisedUsd,
} from '../../../shared/limits/limits.ts'
import { resumeKey, updateAccount, updateKey } from '../../data/mutations.ts'
import { formatUsd, quoteName } from '../../kit/format.ts'
import { reportFailure } from '../../kit/show-error.ts'

interface PauseDialogState {
  /** The key to pause, or everything; null while the dialog is closed. */
  pausing: { id: string; name: string } | 'everything' | null
}

export const usePauseDialog = create<PauseDialogState>()(() => ({ pausing: null }))

/** Asks how to pause, over whatever view is shown. */
export function openPauseDialog(pausing: NonNullable<PauseDialogState['pausing']>): void {
  usePauseDialog.setState({ pausing })
}

export function closePauseDialog(): void {
  usePauseDialog.setState({ pausing: null })
}

/** Raises every limit that stops the key, and resumes it. */
export async function raiseAndResume(record: KeyMetadata, account: Account | null): Promise<void> {
  const raised = computeRaise(limitsThatStop(record, account), record, account)
  if (raised.key) await updateKey(record.id, raised.key)
  if (raised.account) await updateAccount(raised.account)
  await resumeKey(record.id)
  toast.success(`${quoteName(record.name)} may spend $${RAISE_USD} more.`)
}

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** "the daily cap of $5.00 becomes $10.20" */
export function describeRaise(limits: readonly Limit[]): string {
  return list.format(limits.map((limit) => `${getName(limit)} becomes ${formatUsd(raisedUsd(limit))}`))
}

function getName({ keyId, kind, limitUsd }: Limit): string {
  const ofKey = keyId !== null
  const period = ofKey ? ({ per: 'lifetime' } as const) : ({ per: 'month' } as const)
  const name = nameLimit(kind ?? period, limitUsd, ofKey ? 'cap' : 'limit')
  return `the ${name}${ofKey ? '' : ' of all keys'}`
}

/** Resumes a key from its row; a toast says what came of it. */
export async function resumeInPlace({ id, name }: KeyMetadata): Promise<void> {
  await reportFailure(resumeKey(id).then(() => toast.success(`${quoteName(name)} works again.`)))
}
