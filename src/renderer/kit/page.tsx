import type { ReactNode } from 'react'
import { cn } from './cn.ts'
import { useConnection } from './connection.ts'

/** How wide the content of a view may become. It begins at the left, below the title, whatever its width is. */
const widths = { wide: '', normal: 'max-w-[77rem]', narrow: 'max-w-[64rem]' } as const

const MAIN_ID = 'main'

/** The first stop of the Tab key: it moves the focus past the navigation. */
export function SkipLink() {
  return (
    <button
      type="button"
      onClick={() => document.getElementById(MAIN_ID)?.focus()}
      className="-translate-y-full absolute top-2 left-2 z-50 rounded-md bg-accent px-3 py-1.5 font-medium text-white opacity-0 shadow-float focus:translate-y-0 focus:opacity-100"
    >
      Skip to content
    </button>
  )
}

interface PageProps {
  title: string
  /** One line that says what the view is for. */
  subtitle?: ReactNode
  actions?: ReactNode
  /** Parts of the view scroll (tables, chats) instead of the whole page, and it is as wide as the window. */
  fixed?: boolean
  width?: keyof typeof widths
  className?: string
  children: ReactNode
}

/** A view: its title and its actions, in the same column as its content. */
export function Page({
  title,
  subtitle,
  actions,
  fixed = false,
  width = 'wide',
  className,
  children,
}: PageProps) {
  const hasOutage = useConnection(({ outage }) => outage !== null)
  const column = cn('mx-auto w-full px-6 max-sm:px-4', !fixed && 'max-w-[110rem]')
  return (
    <main
      id={MAIN_ID}
      // For the skip link.
      tabIndex={-1}
      className={cn('flex h-full min-w-0 flex-1 flex-col outline-none', className)}
    >
      {/* The space of a scroll bar is always left free, here too, so that nothing moves from view to view. */}
      <header className="shrink-0 overflow-hidden border-line border-b print:hidden [scrollbar-gutter:stable]">
        <div className={cn('flex min-h-14 flex-wrap items-center gap-x-4 gap-y-1 py-2', column)}>
          <h1 className="font-semibold text-lg">{title}</h1>
          {subtitle ? (
            <div className="min-w-0 flex-1 truncate text-ink-3 max-lg:hidden">{subtitle}</div>
          ) : null}
          {/* Without a gateway none of them works. A fieldset disables the controls in it. */}
          <fieldset disabled={hasOutage} className="ml-auto flex flex-wrap items-center justify-end gap-2">
            {actions}
          </fieldset>
        </div>
      </header>
      {fixed ? (
        <div className="flex min-h-0 flex-1 flex-col">{children}</div>
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto [scrollbar-gutter:stable]">
          <div className={cn('py-6 max-sm:py-4', column)}>
            <div className={widths[width]}>{children}</div>
          </div>
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

interface CardHeaderProps {
  title: ReactNode
  /** Next to the title, and no part of it. */
  hint?: ReactNode
  children?: ReactNode
}

export function CardHeader({ title, hint, children }: CardHeaderProps) {
  return (
    <header className="flex min-h-11 items-center justify-between gap-x-3 gap-y-1 px-4 pt-1 max-sm:flex-wrap max-sm:py-2">
      <div className="flex items-center gap-1">
        <h2 className="font-semibold">{title}</h2>
        {hint}
      </div>
      <div className="flex min-w-0 items-center gap-2 text-ink-3 text-sm">{children}</div>
    </header>
  )
}
