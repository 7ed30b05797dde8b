import { toast } from 'sonner'
import { toApiError } from './api-error.ts'

/** Shows the error of an action that has no place for it. It stays until it is closed; the same one is shown once. */
export function showError(thrown: unknown, what?: string): void {
  const reason = typeof thrown === 'string' ? thrown : toApiError(thrown).message
  const message = what === undefined ? reason : `${what}: ${reason}`
  toast.error(message, { id: message, duration: Number.POSITIVE_INFINITY })
}

/** Shows why the action failed, if it does. Never rejects. `what`: such as "The export failed". */
export async function reportFailure(action: Promise<unknown>, what?: string): Promise<void> {
  await action.catch((thrown: unknown) => showError(thrown, what))
}
