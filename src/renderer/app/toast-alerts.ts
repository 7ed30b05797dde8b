import type { Alert } from '../data/live.ts'

/** Toasts are loaded after the first numbers. */
export function showAlert(event: Alert): void {
  void loadAndShow(event)
}

async function loadAndShow(event: Alert): Promise<void> {
  if (event.type === 'cap-alert') (await import('../parts/limits/cap-alert.ts')).showCapAlert(event.alert)
  else (await import('../parts/pausing/guard-alert.ts')).showGuardAlert(event.alert)
}
