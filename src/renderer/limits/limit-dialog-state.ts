import { create } from 'zustand'

interface LimitDialogState {
  /** The key whose cap is edited; `month` for the monthly limit; null while the dialog is closed. */
  editing: { keyId: string } | 'month' | null
}

export const useLimitDialog = create<LimitDialogState>()(() => ({ editing: null }))

/** Edits a limit over whatever view is shown: the cap of a key, or with null the monthly limit. */
export function openLimitDialog(keyId: string | null): void {
  useLimitDialog.setState({ editing: keyId === null ? 'month' : { keyId } })
}

export function closeLimitDialog(): void {
  useLimitDialog.setState({ editing: null })
}
