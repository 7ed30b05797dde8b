import { toast } from 'sonner'
import { navigate } from 'wouter/use-browser-location'
import type { CapAlert } from '../shared/events.ts'
import { formatUsd } from './format.ts'
import { isDesktop } from './is-desktop.ts'

const DURATION_MS = 15_000

/** Shows the alert as a toast. In the desktop app the main process shows a system notification instead. */
export function showCapAlert(alert: CapAlert): void {
  if (isDesktop) return
  const target =
    alert.keyId === null
      ? { href: '/settings', label: 'Open Settings' }
      : { href: '/keys', label: 'Open Keys' }
  const show = alert.spentUsd >= alert.limitUsd ? toast.error : toast.warning
  show(formatCapAlert(alert), {
    // An alert replaces the earlier one for the same cap.
    id: `cap-${alert.keyId ?? 'account'}`,
    duration: DURATION_MS,
    actionButtonStyle: { background: 'var(--accent)', color: 'white' },
    action: { label: target.label, onClick: () => navigate(target.href) },
  })
}

export function formatCapAlert({ keyId, name, percent, spentUsd, limitUsd }: CapAlert): string {
  const left = `${formatUsd(Math.max(0, limitUsd - spentUsd))} left of ${formatUsd(limitUsd)}`
  const subject = keyId === null ? 'This month’s spend' : name
  if (spentUsd >= limitUsd) return `${subject} has reached its ${keyId === null ? 'limit' : 'cap'}: ${left}.`
  return keyId === null
    ? `${percent}% of this month’s limit is used: ${left}.`
    : `${name} has used ${percent}% of its cap: ${left}.`
}
