import { QueryClientProvider, useIsFetching, useQuery } from '@tanstack/react-query'
import { CircleQuestionMark, LogOut } from 'lucide-react'
import { useEffect, useLayoutEffect } from 'react'
import { Redirect, Route, Switch, useRoute } from 'wouter'
import type { AlertEvent } from '../../shared/api/events.ts'
import type { KeyMetadata } from '../../shared/api/keys.ts'
import { unreadActivity } from '../data/activity.ts'
import { useBaseUrl } from '../data/hooks.ts'
import { startLive } from '../data/live.ts'
import { queries } from '../data/queries.ts'
import { queryClient } from '../data/query-client.ts'
import { useSession } from '../data/session.ts'
import { StatusDot, type Tone } from '../kit/badge.tsx'
import { useConnection } from '../kit/connection.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { firstNumbers, laterView, lazyView, markFirstNumbers } from '../kit/lazy-view.tsx'
import { SkipLink } from '../kit/page.tsx'
import { FailureBoundary } from './failure-boundary.tsx'
import {
  compareView,
  helpView,
  lazyViews,
  preloadView,
  preloadWhenIdle,
  receiptView,
  reconcileView,
} from './lazy-views.ts'
import { Palette } from './palette/palette.tsx'
import { closePalette } from './palette/palette-state.ts'
import { SidebarButton } from './sidebar-button.tsx'
import { SidebarFrame } from './sidebar-frame.tsx'

const signIn = lazyView(async () => (await import('../features/sign-in/sign-in.tsx')).SignIn)
const banners = laterView(async () => (await import('./banners.tsx')).Banners)
const meter = lazyView(async () => (await import('../features/meter/meter.tsx')).Meter)
const overlays = laterView(async () => (await import('./overlays.tsx')).Overlays)
const toasts = laterView(async () => (await import('./toasts.tsx')).Toasts)

const { '/': Overview, '/requests': Requests, '/sessions': Sessions, ...others } = lazyViews

export function App() {
  const state = useSession((store) => store.state)
  const [isMeter] = useRoute('/meter')
  useEffect(() => void useSession.getState().start(), [])
  // A key pressed on the sign-in page opens nothing after it.
  useEffect(() => (state === 'signed-out' ? closePalette : undefined), [state])
  return (
    <>
      <FailureBoundary>
        {state === 'signed-in' ? (
          <QueryClientProvider client={queryClient}>
            {isMeter ? <meter.View /> : <Shell />}
          </QueryClientProvider>
        ) : null}
        {state === 'signed-out' ? <signIn.View /> : null}
      </FailureBoundary>
      <toasts.View />
    </>
  )
}

function Shell() {
  // Before the effects of the views: what takes long is read last.
  useLayoutEffect(() => startLive(showAlert), [])
  return (
    <div className="flex h-full flex-col">
      <SkipLink />
      <banners.View />
      <div className="relative flex min-h-0 flex-1 phone:flex-col-reverse">
        <Sidebar />
        {/* On a phone, panels end above the bar. */}
        <div className="flex min-h-0 min-w-0 flex-1 border-line bg-canvas border-l phone:border-l-0 phone:relative">
          <Switch>
            <Route path="/" component={Overview.View} />
            <Route path="/requests/:id?">{({ id }) => <Requests.View openId={id ?? null} />}</Route>
            <Route path="/sessions/:id?">{({ id }) => <Sessions.View openId={id ?? null} />}</Route>
            {Object.entries(others).map(([href, { View }]) => (
              <Route key={href} path={href} component={View} />
            ))}
            <Route path="/usage/reconcile" component={reconcileView.View} />
            <Route path="/compare/:before/:after">
              {({ before, after }) => <compareView.View before={before} after={after} />}
            </Route>
            <Route path="/receipts/:id">{({ id }) => <receiptView.View id={id} />}</Route>
            <Route path="/help/:page?" component={helpView.View} />
            <Route>
              <Redirect to="/" replace />
            </Route>
          </Switch>
        </div>
      </div>
      <Palette />
      <overlays.View />
      <Preload />
    </div>
  )
}

/** Menus, dialogs and the other views do not wait longer than this for the numbers of the first view. */
const NUMBERS_MS = 2_000

/** Loads the other views once the first one has its data. */
function Preload() {
  const { isPending: hasNoAccount } = useQuery(queries.account)
  const { isPending } = useQuery(queries.usage)
  const isReading = useIsFetching() > 0
  useEffect(() => {
    if (hasNoAccount) return
    const timer = setTimeout(markFirstNumbers, NUMBERS_MS)
    return () => clearTimeout(timer)
  }, [hasNoAccount])
  useEffect(() => {
    if (hasNoAccount || isReading) return
    let current = true
    // After a frame, because what was read can lead to another query.
    const mark = () =>
      requestAnimationFrame(() =>
        setTimeout(() => {
          if (current && queryClient.isFetching() === 0) markFirstNumbers()
        }),
      )
    void preloadView(location.pathname).then(mark, mark)
    return () => {
      current = false
    }
  }, [hasNoAccount, isReading])
  useEffect(() => {
    if (isPending) return
    let stop = () => {}
    let current = true
    void firstNumbers.then(() => {
      if (current) stop = preloadWhenIdle()
    })
    return () => {
      current = false
      stop()
    }
  }, [isPending])
  return null
}

const updateSign = laterView(async () => (await import('./sidebar-footer.tsx')).UpdateSign)
const helpMenu = laterView(
  async () => (await import('./sidebar-footer.tsx')).HelpMenu,
  () => <SidebarButton label="Help" icon={CircleQuestionMark} />,
)

export function Sidebar() {
  const paused = useQuery({ ...queries.keys, select: countPaused }).data ?? 0
  const unread = useQuery(unreadActivity).data ?? 0
  return (
    <SidebarFrame
      marks={{
        '/keys': {
          count: paused,
          text: `${paused} ${paused === 1 ? 'key is' : 'keys are'} paused`,
          tone: 'warn',
        },
        '/activity': { count: unread, text: `${unread} unread`, tone: 'accent' },
      }}
    >
      {isDesktop ? <updateSign.View /> : null}
      <helpMenu.View />
      {isDesktop ? null : (
        <SidebarButton label="Sign out" icon={LogOut} onClick={() => useSession.getState().signOut()} />
      )}
      <GatewayStatus />
    </SidebarFrame>
  )
}

function countPaused(keys: readonly KeyMetadata[]): number {
  return keys.filter(({ pausedAt, revokedAt }) => pausedAt !== null && revokedAt === null).length
}

/** Toasts are loaded after the first numbers. */
export function showAlert(event: AlertEvent): void {
  void loadAndShow(event)
}

async function loadAndShow(event: AlertEvent): Promise<void> {
  if (event.type === 'cap-alert') (await import('./toasts.tsx')).showCapAlert(event.alert)
  else if (event.type === 'guard-alert') (await import('./toasts.tsx')).showGuardAlert(event.alert)
  else if (event.type === 'plan-alert') (await import('./toasts.tsx')).showPlanAlert(event.alert)
  else if (event.type === 'batch-alert') (await import('./toasts.tsx')).showBatchAlert(event.alert)
}

const copyButton = laterView(async () => (await import('../kit/copy.tsx')).CopyIconButton)

interface GatewayState {
  tone: Tone
  label: string
}

function useGatewayState(): GatewayState {
  const { state: connection, outage } = useConnection()
  const { data: desktop } = useQuery(queries.desktop)
  const { data: account } = useQuery(queries.account)
  if (outage !== null && outage.status !== 0) return { tone: 'bad', label: 'Not working' }
  if (connection === 'lost') return { tone: 'bad', label: 'Unreachable' }
  if (desktop?.listenError) return { tone: 'warn', label: 'Not listening' }
  if (account?.pausedAt) return { tone: 'warn', label: 'Paused' }
  if (connection === 'connecting') return { tone: 'plain', label: 'Connecting' }
  return { tone: 'good', label: 'Running' }
}

function GatewayStatus() {
  const { tone, label } = useGatewayState()
  const baseUrl = useBaseUrl()
  return (
    <div role="status" aria-label="Gateway" className="mt-1 border-line border-t px-2.5 pt-2 pb-1 rail:px-0">
      <div className="font-medium text-sm rail:flex rail:justify-center" title={label}>
        <StatusDot tone={tone}>
          <span className="rail:sr-only">{label}</span>
        </StatusDot>
      </div>
      {baseUrl === null ? null : (
        <div className="-mr-1.5 flex h-6 items-center gap-1 text-ink-3 rail:hidden">
          <span className="min-w-0 flex-1 truncate font-mono text-xs" title={baseUrl}>
            {new URL(baseUrl).host}
          </span>
          <copyButton.View text={baseUrl} label="Copy base URL" />
        </div>
      )}
    </div>
  )
}
