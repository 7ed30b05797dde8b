import { create } from 'zustand'

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
