import { toast } from 'sonner'
import { navigate } from 'wouter/use-browser-location'
import type { GuardAlert } from '../../shared/guard.ts'
import { formatGuardAlert } from '../../shared/guard-alert.ts'
import { isDesktop } from '../is-desktop.ts'

const DURATION_MS = 30_000

/** Shows the alert as a toast. In the desktop app the main process shows a system notification instead. */
export function showGuardAlert(alert: GuardAlert): void {
  if (isDesktop) return
  const { title, body, href } = formatGuardAlert(alert)
  toast.error(title, {
    description: body,
    id: `guard-${alert.keyId}`,
    duration: DURATION_MS,
    actionButtonStyle: { background: 'var(--accent)', color: 'white' },
    action: { label: 'Open key', onClick: () => navigate(href) },
  })
}
