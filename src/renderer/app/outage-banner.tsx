import { ClipboardList, FolderOpen, History, RotateCw, Unplug } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { retryNow } from '../data/live.ts'
import { Button } from '../kit/button.tsx'
import { useConnection } from '../kit/connection.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { Menu } from '../kit/menu.tsx'
import { copyDiagnostics } from '../parts/diagnostics/copy-diagnostics.ts'
import { restartApp, revealDataDir } from '../parts/diagnostics/reveal.ts'

/** Says why the window has no connection to the gateway, and what the user can do. Views then only say that they have no data. */
export function OutageBanner() {
  const outage = useConnection((store) => store.outage)
  const [, navigate] = useLocation()
  const [pending, setPending] = useState(false)
  if (outage === null) return null
  const isReachable = outage.status !== 0
  const retry = async () => {
    setPending(true)
    await retryNow()
    setPending(false)
  }
  return (
    <div
      role="alert"
      className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-line border-b bg-bad-soft px-4 py-2 text-bad"
    >
      <Unplug size={15} aria-hidden className="shrink-0" />
      <p className="min-w-60 flex-1 basis-96">
        {isReachable ? (
          <>
            <strong className="font-semibold">The gateway has a problem.</strong> {outage.message}{' '}
            {isDesktop ? 'If this lasts, restart Tollgate: it checks its database as it starts.' : null}
          </>
        ) : (
          <>
            <strong className="font-semibold">The gateway cannot be reached.</strong> Data may be out of date.
            Reconnecting… {isDesktop ? null : 'Check that tollgate serve is running.'}
          </>
        )}
        {outage.requestId ? (
          <span className="block break-all font-mono text-sm">{outage.requestId}</span>
        ) : null}
      </p>
      <div className="flex items-center gap-2 text-ink">
        <Button small icon={RotateCw} pending={pending} onClick={() => void retry()}>
          Try again
        </Button>
        {isDesktop ? (
          <Button small onClick={() => void restartApp()}>
            Restart Tollgate
          </Button>
        ) : null}
        <Menu
          label="More ways out"
          items={[
            { label: 'Copy diagnostics', icon: ClipboardList, onSelect: () => void copyDiagnostics() },
            {
              label: 'Restore a backup',
              icon: History,
              onSelect: () => navigate('/settings#backup-and-restore'),
            },
            ...(isDesktop
              ? [{ label: 'Open data folder', icon: FolderOpen, onSelect: () => void revealDataDir() }]
              : []),
          ]}
        />
      </div>
    </div>
  )
}
