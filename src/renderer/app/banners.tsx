import { useQuery } from '@tanstack/react-query'
import {
  CircleAlert,
  CirclePause,
  ClipboardList,
  FolderOpen,
  History,
  type LucideIcon,
  Play,
  RotateCw,
  TriangleAlert,
  Unplug,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { toast } from 'sonner'
import { Link, useLocation } from 'wouter'
import { ApprovalBanners } from '../../features/approvals/view/approval-banners.tsx'
import type { CrashReport } from '../../shared/desktop/crashes.ts'
import { describeKind, isMainLimit, isOfRuns, isUsedUp, limitsOfAccount } from '../../shared/limits/limits.ts'
import { crashes, dismissCrashes } from '../data/desktop-state.ts'
import { retryNow } from '../data/live.ts'
import { resumeAll, setPort } from '../data/mutations.ts'
import { queries } from '../data/queries.ts'
import { Button } from '../kit/button.tsx'
import { cn } from '../kit/cn.ts'
import { useConnection } from '../kit/connection.ts'
import { chooseUsdDecimals, formatUsd } from '../kit/format.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { Menu } from '../kit/menu.tsx'
import { useNow } from '../kit/use-now.ts'
import { useSubmit } from '../kit/use-submit.ts'
import { RelativeTime } from '../parts/controls/relative-time.tsx'
import { CrashDialog, copyDiagnostics, restartApp, revealDataDir } from '../parts/diagnostics/diagnostics.tsx'
import { LimitButton } from '../parts/limits/limit-form.tsx'
import { describeReset } from '../parts/limits/limit-text.ts'

/** Over every view: what keeps the gateway from working, the most severe first. */
export function Banners() {
  return (
    <>
      <OutageBanner />
      <PortBanner />
      {isDesktop ? <CrashBanner /> : null}
      <PauseBanner />
      <ApprovalBanners />
      <LimitBanner />
    </>
  )
}

const HEADLINES: Partial<Record<CrashReport['kind'], string>> = {
  gateway: 'The gateway was started again.',
}

/** Says once that the last run did not end properly, or that the gateway failed in this one. */
export function CrashBanner() {
  const { data: reports = [] } = useQuery(crashes)
  const [isShown, setShown] = useState(false)
  const report = reports.find(({ seen }) => !seen)
  if (!report) return null
  return (
    <Banner tone="warn" icon={TriangleAlert} wraps>
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
    </Banner>
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
    <Banner tone="warn" icon={TriangleAlert}>
      <p className="min-w-0 flex-1">
        <strong className="font-semibold">The gateway is not listening.</strong>{' '}
        {error?.message ?? listenError}{' '}
        <span className="max-lg:hidden">Tools cannot reach it; this window can.</span>
      </p>
      {suggestedPort === null ? null : (
        <Button small pending={pending} onClick={() => void changePort(suggestedPort)}>
          {`Use port ${suggestedPort}`}
        </Button>
      )}
      <Link href="/settings" className="font-medium text-sm underline underline-offset-2">
        Choose a port
      </Link>
    </Banner>
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
    <Banner tone="bad" icon={Unplug} wraps>
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
    </Banner>
  )
}

/** Over every view while a limit of the account rejects requests: the monthly one, or the first other one that is reached. */
export function LimitBanner() {
  const { data: account } = useQuery(queries.account)
  const now = useNow()
  if (!account) return null
  // A limit per session stops one session, which ends anyway; one that asks stops nothing without an answer.
  const reached = limitsOfAccount(account).filter(
    (limit) => isUsedUp(limit) && !limit.asks && !isOfRuns(limit.kind.per),
  )
  const limit = reached.find(isMainLimit) ?? reached[0]
  if (limit === undefined) return null
  const { kind, limitUsd, spentUsd } = limit
  const reset = describeReset(limit, now, account.timeZone)
  const which =
    kind.model === undefined && kind.tag === undefined
      ? 'Every request is rejected'
      : `Requests${kind.model === undefined ? '' : ` to ${kind.model}`}${kind.tag === undefined ? '' : ` in ${kind.tag}`} are rejected`
  const name = `The limit of ${formatUsd(limitUsd)} ${describeKind(kind)}`
  return (
    <ReachedBanner action={<LimitButton keyId={null} kind={kind} />}>
      <strong className="font-semibold">
        {isMainLimit(limit) ? 'This month’s limit is reached.' : `${name} is reached.`}
      </strong>{' '}
      {formatSpent(spentUsd, limitUsd)}{' '}
      {reset === ''
        ? `${which}, unless you raise the limit.`
        : `${which} until it ${reset}, unless you raise the limit.`}
    </ReachedBanner>
  )
}

function formatSpent(spentUsd: number, limitUsd: number): string {
  const decimals = chooseUsdDecimals([spentUsd, limitUsd])
  return `${formatUsd(spentUsd, decimals)} of ${formatUsd(limitUsd, decimals)} spent.`
}

interface BannerProps {
  tone: 'warn' | 'bad'
  icon: LucideIcon
  /** Long texts, with their buttons below them where there is no space. */
  wraps?: boolean
  children: ReactNode
}

function Banner({ tone, icon: Icon, wraps = false, children }: BannerProps) {
  return (
    <div
      role="alert"
      className={cn(
        'flex min-h-11 shrink-0 items-center gap-x-3 gap-y-2 border-line border-b px-4',
        wraps ? 'flex-wrap py-2' : 'py-1.5',
        tone === 'warn' ? 'bg-warn-soft text-warn' : 'bg-bad-soft text-bad',
      )}
    >
      <Icon size={15} aria-hidden className="shrink-0" />
      {children}
    </div>
  )
}

/** The button is next to the text, because the detail of a request covers the right of the window. */
function ReachedBanner({ action, children }: { action: ReactNode; children: ReactNode }) {
  return (
    <Banner tone="bad" icon={CircleAlert}>
      <p className="min-w-0">{children}</p>
      {action}
    </Banner>
  )
}

/** Over every view while everything is paused. */
export function PauseBanner() {
  const { data: account } = useQuery(queries.account)
  const { pending, error, submit } = useSubmit()
  if (!account?.pausedAt) return null
  return (
    <Banner tone="warn" icon={CirclePause}>
      <p className="min-w-0">
        <strong className="font-semibold">Everything is paused.</strong>{' '}
        {error?.message ?? (
          <>
            No request is sent to a model. Paused <RelativeTime iso={account.pausedAt} />.
          </>
        )}
      </p>
      <Button small icon={Play} pending={pending} onClick={() => void submit(resumeAll)}>
        Resume
      </Button>
    </Banner>
  )
}
