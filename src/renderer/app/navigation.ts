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
import { VIEWS, type ViewHref } from '../../shared/desktop/views.ts'

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
