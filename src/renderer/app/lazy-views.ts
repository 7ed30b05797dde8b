// Each view is loaded when it is first shown, or earlier when the window is idle.
import type { ComponentType } from 'react'
import type { ViewHref } from '../../shared/desktop/views.ts'
import { lazyView } from '../kit/lazy-view.tsx'
import { isCurrent, views } from './navigation.ts'
import { palettePanel } from './palette/palette.tsx'
import { ViewPlaceholder } from './view-placeholder.tsx'

const load = <Props extends object>(loadView: () => Promise<ComponentType<Props>>) =>
  lazyView(loadView, ViewPlaceholder)

export const lazyViews = {
  '/': load(async () => (await import('../features/overview/overview.tsx')).Overview),
  '/requests': load(async () => (await import('../features/requests/requests.tsx')).Requests),
  '/sessions': load(async () => (await import('../features/sessions/sessions.tsx')).Sessions),
  '/usage': load(async () => (await import('../features/usage/usage.tsx')).Usage),
  '/keys': load(async () => (await import('../features/keys/keys.tsx')).Keys),
  '/providers': load(async () => (await import('../features/providers/providers.tsx')).Providers),
  '/models': load(async () => (await import('../features/models/models.tsx')).Models),
  '/playground': load(async () => (await import('../features/playground/playground.tsx')).Playground),
  '/connect': load(async () => (await import('../features/connect/connect.tsx')).Connect),
  '/estimator': load(async () => (await import('../features/estimator/estimator.tsx')).Estimator),
  '/activity': load(async () => (await import('../../features/activity/view/activity.tsx')).ActivityView),
  '/settings': load(async () => (await import('../features/settings/settings.tsx')).SettingsView),
} as const satisfies Record<ViewHref, unknown>

/** Not in the navigation. */
export const helpView = load(async () => (await import('./help/help.tsx')).Help)

/** Receipts, each with its address. */
export const receiptView = load(
  async () => (await import('../../features/receipts/view/receipt.tsx')).ReceiptView,
)

/** Opened from Requests. */
export const compareView = load(async () => (await import('../features/compare/compare.tsx')).Compare)

/** Opened from Usage. */
export const reconcileView = load(
  async () => (await import('../../features/reconcile/view/reconcile.tsx')).Reconcile,
)

/** The view of an address, with all of its numbers. */
export function preloadView(path: string): Promise<unknown> {
  const href = views.find((view) => isCurrent(view.href, path))?.href ?? '/'
  return href === '/' ? preloadOverview() : lazyViews[href].preload()
}

async function preloadOverview(): Promise<void> {
  const [{ overviewDetails }] = await Promise.all([
    import('../features/overview/overview.tsx'),
    import('../features/overview/overview-details.tsx'),
  ])
  await Promise.all([lazyViews['/'].preload(), overviewDetails.preload()])
}

/** Loads the palette and one view after another, each when the browser is idle. Returns a function that stops it. */
export function preloadWhenIdle(): () => void {
  const remaining = [palettePanel, ...Object.values(lazyViews)]
  let handle = 0
  const next = () => {
    const view = remaining.shift()
    if (view === undefined) return
    handle = requestIdleCallback(() => void view.preload().then(next))
  }
  next()
  return () => {
    cancelIdleCallback(handle)
    remaining.length = 0
  }
}
