import { toast } from 'sonner'
import { t } from 'ttag'
import type { CapAlert } from '../../../shared/api/events.ts'
import { formatCapAlert } from '../../../shared/limits/alerts.ts'
import { toKind } from '../../../shared/limits/limits.ts'
import { isDesktop } from '../../kit/is-desktop.ts'
import { openLimitDialog } from './limit-dialog-state.ts'

const DURATION_MS = 15_000

/** Shows the alert as a toast. In the desktop app the main process shows a system notification instead. */
export function showCapAlert(alert: CapAlert): void {
  if (isDesktop) return
  const { keyId, limit } = alert
  const { title, body } = formatCapAlert(alert)
  const show = alert.spentUsd >= alert.limitUsd ? toast.error : toast.warning
  show(title, {
    description: body,
    // An alert replaces the earlier one for the same cap.
    id: `cap-${keyId ?? 'account'}-${limit?.index ?? ''}`,
    duration: DURATION_MS,
    actionButtonStyle: { background: 'var(--accent)', color: 'white' },
    action: {
      label: keyId === null || limit ? t`Raise limit` : t`Raise cap`,
      onClick: () => openLimitDialog(keyId, limit ? toKind(limit) : null),
    },
  })
}
