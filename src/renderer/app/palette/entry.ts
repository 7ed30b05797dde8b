import type { LucideIcon } from 'lucide-react'

/** In the order in which they are shown before anything is typed: first what the sidebar does not have. */
export const GROUPS = [
  'Keys',
  'Requests',
  'Actions',
  'Views',
  'Models',
  'Providers',
  'Chats',
  'Settings',
  'Tools',
  'Help',
  'Theme',
] as const
export type Group = (typeof GROUPS)[number]

export interface Entry {
  id: string
  group: Group
  label: string
  /** A quieter text next to the label. */
  hint?: string
  /** Other words that find it. */
  keywords?: string
  icon: LucideIcon
  /** Shown before anything is typed. */
  isShownFirst?: boolean
  run: () => void
}

export type Navigate = (href: string) => void
