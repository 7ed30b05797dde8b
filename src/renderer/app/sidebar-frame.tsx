import { Search } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { carryRange, rememberRange, useCarriedRange } from '../data/carried-range.ts'
import { cn } from '../kit/cn.ts'
import { Mark } from '../kit/mark.tsx'
import { isCurrent, views } from './navigation.ts'
import { openPalette, paletteShortcut } from './palette/palette-state.ts'
import { getViewShortcut } from './use-shortcuts.ts'

/** The number of items in a view that need attention; no mark if the count is 0. */
export interface ViewMark {
  count: number
  /** Says what is counted. */
  text: string
  tone: 'warn' | 'accent'
}

const MAX = 99

/** The navigation, and below it `children`. Up to 768 px wide it shows icons only; in a low window it scrolls. */
export function SidebarFrame({
  marks = {},
  children,
}: {
  /** The marks by the address of the view. */
  marks?: Readonly<Record<string, ViewMark>>
  children?: ReactNode
}) {
  const [path] = useLocation()
  const search = useSearch()
  const range = useCarriedRange(({ query }) => query)
  useEffect(() => rememberRange(path, search), [path, search])
  return (
    <nav
      aria-label="Views"
      className="flex w-52 shrink-0 flex-col overflow-y-auto bg-canvas max-md:w-13 max-md:[scrollbar-width:none] print:hidden [&>*]:shrink-0"
    >
      <div className="flex h-14 items-center gap-2 px-4">
        <Mark />
        <span className="font-semibold text-lg max-md:hidden">Tollgate</span>
      </div>
      <div className="px-2 pb-2">
        <button
          type="button"
          onClick={openPalette}
          aria-label="Search and commands"
          className="flex h-8 w-full items-center gap-2 rounded-md border border-line bg-surface px-2.5 text-ink-3 text-sm hover:text-ink"
        >
          <Search size={13} aria-hidden className="shrink-0" />
          <span className="flex-1 text-left max-md:hidden">Go to…</span>
          <kbd className="font-sans text-xs max-md:hidden">{paletteShortcut}</kbd>
        </button>
      </div>
      <ul className="flex flex-col gap-px px-2">
        {views.map((view) => {
          const current = isCurrent(view.href, path)
          const mark = marks[view.href]?.count ? marks[view.href] : undefined
          return (
            <li key={view.href}>
              <Link
                href={carryRange(view.href, range)}
                aria-label={view.name}
                aria-description={mark?.text}
                title={[view.name, getViewShortcut(view.href), mark?.text].filter(Boolean).join('  ')}
                aria-current={current ? 'page' : undefined}
                className={cn(
                  'relative flex h-8 items-center gap-2.5 rounded-md px-2.5 font-medium transition-colors duration-100',
                  current ? 'bg-sunken text-ink' : 'text-ink-2 hover:bg-sunken',
                )}
              >
                <view.icon
                  size={15}
                  aria-hidden
                  className={cn('shrink-0', current ? 'text-accent-ink' : 'text-ink-3')}
                />
                <span className="max-md:hidden">{view.name}</span>
                {mark ? (
                  <span
                    aria-hidden
                    className={cn(
                      'ml-auto rounded-full px-1.5 font-medium text-xs max-md:absolute max-md:top-0 max-md:right-0',
                      mark.tone === 'warn' ? 'bg-warn-soft text-warn' : 'bg-accent-soft text-accent-ink',
                    )}
                  >
                    {mark.count > MAX ? `${MAX}+` : mark.count}
                  </span>
                ) : null}
              </Link>
            </li>
          )
        })}
      </ul>
      <div className="mt-auto flex flex-col gap-px p-2">{children}</div>
    </nav>
  )
}
