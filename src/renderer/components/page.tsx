// Owns the frame of a view: its title, its actions, its scroll. Knows nothing of what is in it.
import type { ReactNode } from 'react'
import { cn } from './cn.ts'

interface PageProps {
  title: string
  /** One line on what this view is for. */
  subtitle?: ReactNode
  actions?: ReactNode
  /** The view scrolls inside itself (tables, chats) instead of as a whole. */
  fixed?: boolean
  className?: string
  children: ReactNode
}

export function Page({ title, subtitle, actions, fixed = false, className, children }: PageProps) {
  return (
    <main className={cn('flex h-full min-w-0 flex-1 flex-col', className)}>
      <header className="flex h-14 shrink-0 items-center gap-4 border-line border-b px-6">
        <h1 className="font-semibold text-lg">{title}</h1>
        {subtitle ? <div className="min-w-0 truncate text-ink-3 max-lg:hidden">{subtitle}</div> : null}
        <div className="ml-auto flex items-center gap-2">{actions}</div>
      </header>
      {fixed ? (
        <div className="flex min-h-0 flex-1 flex-col">{children}</div>
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto">
          <div className="mx-auto w-full max-w-7xl p-6">{children}</div>
        </div>
      )}
    </main>
  )
}

export function Card({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <section className={cn('rounded-lg border border-line bg-surface shadow-card', className)}>
      {children}
    </section>
  )
}

/** A card's head: what it shows, and what can be done with the whole of it. */
export function CardHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className="flex min-h-11 items-center justify-between gap-3 px-4 pt-1">
      <h2 className="font-semibold">{title}</h2>
      <div className="flex items-center gap-2 text-ink-3 text-sm">{children}</div>
    </header>
  )
}
