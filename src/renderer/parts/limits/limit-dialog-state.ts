import { create } from 'zustand'
import { type LimitKind, type LimitRef, mainKind } from '../../../shared/limits/limits.ts'

interface LimitDialogState {
  /** Null while the dialog is closed. */
  editing: LimitRef | null
}

export const useLimitDialog = create<LimitDialogState>()(() => ({ editing: null }))

/**
 * Edits a limit over whatever view is shown: one of a key, or with null of the account; without a kind the cap of the key or the
 * monthly limit.
 */
export function openLimitDialog(keyId: string | null, kind: LimitKind = mainKind(keyId)): void {
  useLimitDialog.setState({ editing: { keyId, kind } })
}

export function closeLimitDialog(): void {
  useLimitDialog.setState({ editing: null })
}
