import { toast } from 'sonner'
import { t } from 'ttag'
import { navigate } from 'wouter/use-browser-location'
import type { GuardAlert } from '../../../shared/api/account.ts'
import { formatGuardAlert } from '../../../shared/limits/alerts.ts'
import { limitsThatStop, RAISE_USD } from '../../../shared/limits/limits.ts'
import { queries } from '../../data/queries.ts'
import { queryClient } from '../../data/query-client.ts'
import { toApiError } from '../../kit/api-error.ts'
import { isDesktop } from '../../kit/is-desktop.ts'
import { showError } from '../../kit/show-error.ts'
import { raiseAndResume, resumeInPlace } from './raise-and-resume.ts'

const DURATION_MS = 30_000

/** Shows the alert as a toast. In the desktop app the main process shows a system notification instead. */
export function showGuardAlert(alert: GuardAlert): void {
  if (isDesktop) return
  const { title, body, href } = formatGuardAlert(alert)
  const open = { label: t`Open key`, onClick: () => navigate(href) }
  const remedy = remedyFor(alert.keyId)
  toast.error(title, {
    description: body,
    id: `guard-${alert.keyId}`,
    duration: DURATION_MS,
    actionButtonStyle: { background: 'var(--accent)', color: 'white' },
    cancelButtonStyle: { background: 'var(--sunken)', color: 'var(--ink)' },
    action: remedy ?? open,
    ...(remedy ? { cancel: open } : {}),
  })
}

/** Resumes the key, with its limits raised if they stop it; null if the key is not known. */
function remedyFor(keyId: string) {
  const read = () => queryClient.getQueryData(queries.keys.queryKey)?.find(({ id }) => id === keyId)
  const account = () => queryClient.getQueryData(queries.account.queryKey) ?? null
  const key = read()
  if (key === undefined) return null
  if (limitsThatStop(key, account()).length === 0)
    return { label: t`Resume`, onClick: () => void resumeInPlace(key) }
  return {
    label: t`Raise by $${RAISE_USD}`,
    onClick: () =>
      void raiseAndResume(read() ?? key, account()).catch((thrown: unknown) =>
        showError(toApiError(thrown).message),
      ),
  }
}
