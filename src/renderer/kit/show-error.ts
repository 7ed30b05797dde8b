import { toast } from 'sonner'

/** Shows the error of an action that has no place for it. It stays until it is closed; the same one is shown once. */
export function showError(message: string): void {
  toast.error(message, { id: message, duration: Number.POSITIVE_INFINITY })
}
