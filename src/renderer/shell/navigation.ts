// Owns the list of views: name, address, icon. The sidebar, the palette and the routes are made from it.
import {
  Activity,
  Boxes,
  Cable,
  Calculator,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  ServerCog,
  Settings,
} from 'lucide-react'

export interface View {
  name: string
  href: string
  icon: LucideIcon
}

export const views: readonly View[] = [
  { name: 'Overview', href: '/', icon: LayoutDashboard },
  { name: 'Requests', href: '/requests', icon: Activity },
  { name: 'Keys', href: '/keys', icon: KeyRound },
  { name: 'Providers', href: '/providers', icon: ServerCog },
  { name: 'Models', href: '/models', icon: Boxes },
  { name: 'Playground', href: '/playground', icon: MessageSquare },
  { name: 'Connect', href: '/connect', icon: Cable },
  { name: 'Estimator', href: '/estimator', icon: Calculator },
  { name: 'Settings', href: '/settings', icon: Settings },
]

export function isCurrent(href: string, path: string): boolean {
  return href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`)
}
