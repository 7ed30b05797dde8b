import { useLocation } from 'wouter'
import { readAdminKey } from '../data/api.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { Skeleton } from '../kit/notice.tsx'
import { Card, Page } from '../kit/page.tsx'
import { isCurrent, views } from './navigation.ts'
import { SidebarFrame } from './sidebar-frame.tsx'

/** The frame of a view that is not loaded yet. */
export function ViewPlaceholder() {
  const [path] = useLocation()
  const view = views.find(({ href }) => isCurrent(href, path))
  return <Page title={view?.name ?? ''}>{view?.href === '/' ? <OverviewPlaceholder /> : null}</Page>
}

/** The window opens with this view. */
function OverviewPlaceholder() {
  return (
    <div className="grid grid-cols-3 gap-4">
      {['Today', 'This month', 'Monthly limit'].map((title) => (
        <Card key={title} className="min-h-30 p-4">
          <h2 className="font-medium text-ink-3 text-sm">{title}</h2>
          <Skeleton className="mt-2 h-7 w-32" />
        </Card>
      ))}
    </div>
  )
}

/** The window until the app is loaded. In a browser it is empty while it is not known whether the user is signed in. */
export function StartingWindow() {
  if ((!isDesktop && readAdminKey() === null) || location.pathname === '/meter') return null
  return (
    <div className="flex h-full phone:flex-col-reverse">
      <SidebarFrame />
      <div className="flex min-h-0 min-w-0 flex-1 border-line bg-canvas border-l phone:border-l-0">
        <ViewPlaceholder />
      </div>
    </div>
  )
}
