import { useQuery } from '@tanstack/react-query'
import { ClipboardList, FolderOpen, History, RotateCw, TriangleAlert, Unplug } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { Link, useLocation } from 'wouter'
import type { CrashReport } from '../../shared/desktop/crashes.ts'
import { crashes, dismissCrashes } from '../data/crashes.ts'
import { retryNow } from '../data/live.ts'
import { setPort } from '../data/mutations.ts'
import { queries } from '../data/queries.ts'
import { Button } from '../kit/button.tsx'
import { useConnection } from '../kit/connection.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { Menu } from '../kit/menu.tsx'
import { useSubmit } from '../kit/use-submit.ts'
import { copyDiagnostics } from '../parts/diagnostics/copy-diagnostics.ts'
import { CrashDialog } from '../parts/diagnostics/crash-dialog.tsx'
import { restartApp, revealDataDir } from '../parts/diagnostics/reveal.ts'
import { LimitBanner } from '../parts/limits/limit-banner.tsx'
import { PauseBanner } from '../parts/pausing/pause-banner.tsx'

/** Over every view: what keeps the gateway from working, the most severe first. */
export function Banners() {
  return (
    <>
      <OutageBanner />
      <PortBanner />
      {isDesktop ? <CrashBanner /> : null}
      <PauseBanner />
      <LimitBanner />
    </>
  )
}

const HEADLINES: Partial<Record<CrashReport['kind'], string>> = {
  gateway: 'The gateway was started again.',
  hang: 'Tollgate hung.',
}

/** Says once that the last run did not end properly, or that the gateway failed in this one. */
export function CrashBanner() {
  const { data: reports = [] } = useQuery(crashes)
  const [isShown, setShown] = useState(false)
  const report = reports.find(({ seen }) => !seen)
  if (!report) return null
  return (
    <div
      role="alert"
      className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-line border-b bg-warn-soft px-4 py-2 text-warn"
    >
      <TriangleAlert size={15} aria-hidden className="shrink-0" />
      <p className="min-w-60 flex-1 basis-96">
        <strong className="font-semibold">
          {HEADLINES[report.kind] ?? 'The last run did not end properly.'}
        </strong>{' '}
        {report.summary} No recorded charge was lost, and nothing was sent.
      </p>
      <div className="flex items-center gap-2 text-ink">
        <Button small onClick={() => setShown(true)}>
          Show report
        </Button>
        <Button small onClick={() => void dismissCrashes()}>
          Dismiss
        </Button>
      </div>
      {isShown ? <CrashDialog report={report} onClose={() => setShown(false)} /> : null}
    </div>
  )
}

export function PortBanner() {
  const { data: desktop } = useQuery(queries.desktop)
  const { pending, error, submit } = useSubmit()
  if (!desktop?.listenError) return null
  const { listenError, suggestedPort } = desktop
  const changePort = (port: number) =>
    submit(async () => {
      await setPort(port)
      toast.success(`The gateway now listens on port ${port}.`)
    })
  return (
    <div
      role="alert"
      className="flex min-h-11 shrink-0 items-center gap-3 border-line border-b bg-warn-soft px-4 py-1.5 text-warn"
    >
      <TriangleAlert size={15} aria-hidden className="shrink-0" />
      <p className="min-w-0 flex-1">
        <strong className="font-semibold">The gateway is not listening.</strong>{' '}
        {error?.message ?? listenError}{' '}
        <span className="max-lg:hidden">Tools cannot reach it; this window can.</span>
      </p>
      {suggestedPort === null ? null : (
        <Button small pending={pending} onClick={() => void changePort(suggestedPort)}>
          Use port {suggestedPort}
        </Button>
      )}
      <Link href="/settings" className="font-medium text-sm underline underline-offset-2">
        Choose a port
      </Link>
    </div>
  )
}

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
