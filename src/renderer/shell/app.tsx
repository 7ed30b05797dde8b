import { QueryClientProvider } from '@tanstack/react-query'
import { Tooltip } from 'radix-ui'
import { lazy, Suspense, useEffect, useLayoutEffect } from 'react'
import { Toaster } from 'sonner'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { startLive } from '../server-state/live.ts'
import { queryClient } from '../server-state/query-client.ts'
import { useSession } from '../stores/session.ts'
import { useTheme } from '../theme.ts'
import { Connect } from '../views/connect/connect.tsx'
import { Keys } from '../views/keys/keys.tsx'
import { Models } from '../views/models/models.tsx'
import { Overview } from '../views/overview/overview.tsx'
import { Providers } from '../views/providers/providers.tsx'
import { Requests } from '../views/requests/requests.tsx'
import { SettingsView } from '../views/settings/settings.tsx'
import { SignIn } from '../views/sign-in/sign-in.tsx'
import { FailureBoundary } from './failure-boundary.tsx'
import { LostBanner } from './lost-banner.tsx'
import { Palette } from './palette.tsx'
import { PortBanner } from './port-banner.tsx'
import { Sidebar } from './sidebar.tsx'

// Views with heavy dependencies (charts, the markdown renderer) are loaded when they are first opened.
const Estimator = lazy(() => import('../views/estimator/estimator.tsx'))
const Playground = lazy(() => import('../views/playground/playground.tsx'))

export function App() {
  const state = useSession((store) => store.state)
  const theme = useTheme((store) => store.resolved)
  const [, navigate] = useLocation()
  useEffect(() => void useSession.getState().start(), [])
  useEffect(() => window.desktop?.onNavigate((href) => navigate(href)), [navigate])
  return (
    <Tooltip.Provider delayDuration={400} skipDelayDuration={200}>
      <FailureBoundary>
        {state === 'signed-in' ? (
          <QueryClientProvider client={queryClient}>
            <Shell />
          </QueryClientProvider>
        ) : null}
        {state === 'signed-out' ? <SignIn /> : null}
      </FailureBoundary>
      <Toaster
        theme={theme}
        // At the top it covers neither a dialog's buttons nor the composer of the playground.
        position="top-center"
        offset={12}
        style={{ fontFamily: 'inherit' }}
        toastOptions={{
          duration: 3500,
          style: { background: 'var(--raised)', color: 'var(--ink)', borderColor: 'var(--line)' },
        }}
      />
    </Tooltip.Provider>
  )
}

function Shell() {
  // Before the effects of the views: what takes long is read last.
  useLayoutEffect(startLive, [])
  return (
    <div className="flex h-full flex-col">
      <LostBanner />
      <PortBanner />
      <div className="flex min-h-0 flex-1">
        <Sidebar />
        <div className="flex min-w-0 flex-1 border-line border-l bg-canvas">
          <Suspense fallback={null}>
            <Switch>
              <Route path="/" component={Overview} />
              <Route path="/requests/:id?">{({ id }) => <Requests openId={id ?? null} />}</Route>
              <Route path="/keys" component={Keys} />
              <Route path="/providers" component={Providers} />
              <Route path="/models" component={Models} />
              <Route path="/estimator" component={Estimator} />
              <Route path="/playground" component={Playground} />
              <Route path="/connect" component={Connect} />
              <Route path="/settings" component={SettingsView} />
              <Route>
                <Redirect to="/" replace />
              </Route>
            </Switch>
          </Suspense>
        </div>
      </div>
      <Palette />
    </div>
  )
}
