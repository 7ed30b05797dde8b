import { toast } from 'sonner'
import { reportFailure } from '../kit/show-error.ts'

export interface UndoableChange {
  /** Says what was saved. */
  message: string
  save: () => Promise<void>
  undo: () => Promise<void>
}

/** The message about the last change. */
let shown: string | number | null = null

/** Saves a setting, confirms it, and offers to undo it. Throws when it cannot be saved. */
export async function saveWithUndo({ message, save, undo }: UndoableChange): Promise<void> {
  await save()
  // Only the last change is offered to be undone: several messages would cover the next setting.
  if (shown !== null) toast.dismiss(shown)
  shown = toast.success(message, {
    duration: 8000,
    action: {
      label: 'Undo',
      onClick: () => void reportFailure(undo()),
    },
  })
}
