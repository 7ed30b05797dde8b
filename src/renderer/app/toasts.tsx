import type { FocusEvent } from 'react'
import { Toaster, toast } from 'sonner'
import { navigate } from 'wouter/use-browser-location'
import type { BatchJob } from '../../features/batches/api/batches.ts'
import { describeBatch } from '../../features/batches/api/texts.ts'
import type { GuardAlert } from '../../shared/api/account.ts'
import type { CapAlert } from '../../shared/api/events.ts'
import type { PlanAlert } from '../../shared/api/plans.ts'
import { formatCapAlert, formatGuardAlert, formatPlanAlert } from '../../shared/limits/alerts.ts'
import { isMainLimit, limitsThatStop, RAISE_USD, toKind } from '../../shared/limits/limits.ts'
import { queries } from '../data/queries.ts'
import { queryClient } from '../data/query-client.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { reportFailure } from '../kit/show-error.ts'
import { useTheme } from '../kit/theme.ts'
import { useToastBottom } from '../kit/toast-clearance.ts'
import { openLimitDialog } from '../parts/limits/limit-dialog-state.ts'
import { raiseAndResume, resumeInPlace } from '../parts/pausing/pausing.ts'

const DURATION_MS = 5000

/** Short messages at the bottom right. They close by themselves, except errors (`showError`). */
export function Toasts() {
  const theme = useTheme((store) => store.resolved)
  const bottom = useToastBottom((store) => store.bottom)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing to interact with, only the blur of the toasts inside
    <div onBlur={letFocusGo}>
      <Toaster
        theme={theme}
        position="bottom-right"
        offset={{ bottom, right: 16 }}
        mobileOffset={{ bottom, left: 16, right: 16 }}
        closeButton
        // Above dialogs (40), but below an open list or menu (50), whose items would be under a toast.
        style={{ fontFamily: 'inherit', zIndex: 45 }}
        toastOptions={{
          duration: DURATION_MS,
          closeButtonAriaLabel: 'Close',
          style: {
            background: 'var(--color-raised)',
            color: 'var(--color-ink)',
            borderColor: 'var(--color-line)',
          },
        }}
      />
    </div>
  )
}

/** Sonner returns the focus when it leaves the toasts, which would keep the Tab key from ever passing them. */
function letFocusGo({ currentTarget, relatedTarget }: FocusEvent): void {
  if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget)) relatedTarget.focus()
}

// Alerts as toasts. In the desktop app the main process shows system notifications instead.

const CAP_MS = 15_000
const GUARD_MS = 30_000

export function showCapAlert(alert: CapAlert): void {
  if (isDesktop) return
  const { keyId, limit } = alert
  const { title, body } = formatCapAlert(alert)
  const show = alert.spentUsd >= alert.limitUsd ? toast.error : toast.warning
  show(title, {
    description: body,
    // An alert replaces the earlier one for the same cap.
    id: `cap-${keyId ?? 'account'}-${limit.index}`,
    duration: CAP_MS,
    actionButtonStyle: { background: 'var(--color-accent)', color: 'white' },
    action: {
      label: keyId !== null && isMainLimit({ keyId, kind: limit }) ? 'Raise cap' : 'Raise limit',
      onClick: () => openLimitDialog(keyId, toKind(limit)),
    },
  })
}

export function showGuardAlert(alert: GuardAlert): void {
  if (isDesktop) return
  const { title, body, href } = formatGuardAlert(alert)
  const open = { label: 'Open key', onClick: () => navigate(href) }
  const remedy = remedyFor(alert.keyId)
  toast.error(title, {
    description: body,
    id: `guard-${alert.keyId}`,
    duration: GUARD_MS,
    actionButtonStyle: { background: 'var(--color-accent)', color: 'white' },
    cancelButtonStyle: { background: 'var(--color-sunken)', color: 'var(--color-ink)' },
    action: remedy ?? open,
    ...(remedy ? { cancel: open } : {}),
  })
}

export function showPlanAlert(alert: PlanAlert): void {
  if (isDesktop) return
  const { title, body } = formatPlanAlert(alert)
  toast.warning(title, { description: body, id: `${alert.plan} ${alert.window}` })
}

export function showBatchAlert(batch: BatchJob): void {
  if (isDesktop) return
  const { title, body } = describeBatch(batch)
  toast.success(title, { description: body, id: batch.id })
}

/** Resumes the key, with its limits raised if they stop it; null if the key is not known. */
function remedyFor(keyId: string) {
  const read = () => queryClient.getQueryData(queries.keys.queryKey)?.find(({ id }) => id === keyId)
  const account = () => queryClient.getQueryData(queries.account.queryKey) ?? null
  const key = read()
  if (key === undefined) return null
  if (limitsThatStop(key, account()).length === 0)
    return { label: 'Resume', onClick: () => void resumeInPlace(key) }
  return {
    label: `Raise by $${RAISE_USD}`,
    onClick: () => void reportFailure(raiseAndResume(read() ?? key, account())),
  }
}
