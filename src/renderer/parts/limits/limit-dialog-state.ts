import { create } from 'zustand'
import type { Limit, LimitKind } from '../../../shared/limits/limits.ts'

interface LimitDialogState {
  /** Null while the dialog is closed. */
  editing: Pick<Limit, 'keyId' | 'kind'> | null
}

export const useLimitDialog = create<LimitDialogState>()(() => ({ editing: null }))

/**
 * Edits a limit over whatever view is shown: one of the spend limits of a key, or with null of the account; without a kind the cap of
 * the key or the monthly limit.
 */
export function openLimitDialog(keyId: string | null, kind: LimitKind | null = null): void {
  useLimitDialog.setState({ editing: { keyId, kind } })
}

export function closeLimitDialog(): void {
  useLimitDialog.setState({ editing: null })
}
