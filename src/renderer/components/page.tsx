import type { ReactNode } from 'react'
import { cn } from './cn.ts'

interface PageProps {
  title: string
  /** One line that says what the view is for. */
  subtitle?: ReactNode
  actions?: ReactNode
  /** Parts of the view scroll (tables, chats) instead of the whole page. */
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

export function CardHeader({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className="flex min-h-11 items-center justify-between gap-3 px-4 pt-1">
      <h2 className="font-semibold">{title}</h2>
      <div className="flex items-center gap-2 text-ink-3 text-sm">{children}</div>
    </header>
  )
}
