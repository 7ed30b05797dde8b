import {
  Activity,
  Bell,
  Boxes,
  Cable,
  Calculator,
  ChartColumn,
  KeyRound,
  Layers,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  ServerCog,
  Settings,
} from 'lucide-react'
import { create } from 'zustand'
import { VIEWS, type ViewHref } from '../../shared/desktop/views.ts'
import { rangeFromSearch, rangeToQuery } from '../data/date-range.ts'

export interface View {
  name: string
  href: ViewHref
  icon: LucideIcon
}

const icons: Readonly<Record<ViewHref, LucideIcon>> = {
  '/': LayoutDashboard,
  '/requests': Activity,
  '/sessions': Layers,
  '/usage': ChartColumn,
  '/keys': KeyRound,
  '/providers': ServerCog,
  '/models': Boxes,
  '/playground': MessageSquare,
  '/connect': Cable,
  '/estimator': Calculator,
  '/activity': Bell,
  '/settings': Settings,
}

export const views: readonly View[] = VIEWS.map((view) => ({ ...view, icon: icons[view.href] }))

export function isCurrent(href: string, path: string): boolean {
  return href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`)
}

// The range of time goes along from one view to the next.

/** The views that show a range. The log shows all time unless a range is chosen. */
const RANGED: ReadonlySet<string> = new Set<ViewHref>(['/', '/requests', '/sessions', '/usage'])

/** The query string of the range that was chosen last, in any view; blank for none. */
export const useCarriedRange = create<{ query: string }>()(() => ({ query: '' }))

/** Remembers the range of an address, if its view has one. The log without a range forgets it. */
export function rememberRange(path: string, search: string): void {
  if (!RANGED.has(path)) return
  const query = new URLSearchParams(rangeToQuery(rangeFromSearch(search))).toString()
  if (query !== '' || path === '/requests') useCarriedRange.setState({ query })
}

/** The address of a view, with the range that was chosen last if the view shows one. */
export function carryRange(href: string, query = useCarriedRange.getState().query): string {
  return query !== '' && RANGED.has(href) ? `${href}?${query}` : href
}
