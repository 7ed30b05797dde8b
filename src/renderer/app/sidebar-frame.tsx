import { Menu, Search } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { cn } from '../kit/cn.ts'
import { Mark } from '../kit/mark.tsx'
import { useMediaQuery } from '../kit/theme.ts'
import { carryRange, isCurrent, rememberRange, useCarriedRange, type View, views } from './navigation.ts'
import { openPalette, paletteShortcut } from './palette/palette-state.ts'
import { getViewShortcut } from './use-shortcuts.ts'

/** The number of items in a view that need attention; no mark if the count is 0. */
interface ViewMark {
  count: number
  /** Says what is counted. */
  text: string
  tone: 'warn' | 'accent'
}

const MAX = 99

interface SidebarProps {
  /** The marks by the address of the view. */
  marks?: Readonly<Record<string, ViewMark>>
  /** The part below the views. */
  children?: ReactNode
}

/** The navigation: a sidebar, which shows icons only up to 768 px wide, and on a phone a bar at the bottom. */
export function SidebarFrame({ marks = {}, children }: SidebarProps) {
  const [path] = useLocation()
  const search = useSearch()
  useEffect(() => rememberRange(path, search), [path, search])
  const Frame = useMediaQuery(PHONE) ? BottomBar : Sidebar
  return <Frame marks={marks}>{children}</Frame>
}

const PHONE = '(width < 40rem) and (height >= 30rem)'

/** The views with an entry of their own in the bar of a phone; the others are in its menu. */
const IN_BAR: readonly View[] = views.filter(({ href }) =>
  ['/', '/requests', '/keys', '/playground'].includes(href),
)

function BottomBar({ marks = {}, children }: SidebarProps) {
  const [path] = useLocation()
  const range = useCarriedRange(({ query }) => query)
  // Another view closes the menu.
  const [openAt, setOpenAt] = useState<string | null>(null)
  const isOpen = openAt === path
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    setOpenAt(null)
    button.current?.focus()
  }
  const isInBar = IN_BAR.some(({ href }) => isCurrent(href, path))
  const isMarked = views.some(({ href }) => marks[href]?.count && !IN_BAR.some((view) => view.href === href))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu wherever the focus is in it
    <div className="relative shrink-0 print:hidden" onKeyDown={onKeyDown}>
      {isOpen ? (
        <>
          <div aria-hidden className="fixed inset-0 z-30 bg-black/30" onClick={() => setOpenAt(null)} />
          <Sidebar id={id} marks={marks}>
            {children}
          </Sidebar>
        </>
      ) : null}
      <nav
        aria-label="Main views"
        className="relative z-40 flex h-14 border-line border-t bg-canvas pb-[env(safe-area-inset-bottom)]"
      >
        {IN_BAR.map((view) => {
          const current = isCurrent(view.href, path)
          const mark = marks[view.href]?.count ? marks[view.href] : undefined
          return (
            <Link
              key={view.href}
              href={carryRange(view.href, range)}
              aria-current={current ? 'page' : undefined}
              aria-description={mark?.text}
              className={cn(barEntry, current ? 'text-accent-ink' : 'text-ink-2')}
            >
              <view.icon size={18} aria-hidden />
              {view.name}
              {mark ? <MarkDot /> : null}
            </Link>
          )
        })}
        <button
          ref={button}
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpenAt(isOpen ? null : path)}
          className={cn(barEntry, isInBar ? 'text-ink-2' : 'text-accent-ink')}
        >
          <Menu size={18} aria-hidden />
          More
          {isMarked ? <MarkDot /> : null}
        </button>
      </nav>
    </div>
  )
}

const barEntry =
  'relative flex min-w-0 flex-1 flex-col items-center justify-center gap-1 text-xs font-medium -outline-offset-2'

function MarkDot() {
  return <span aria-hidden className="absolute top-2 left-[calc(50%+0.625rem)] size-2 rounded-full bg-warn" />
}

/** In a low window it scrolls. `id`: on a phone, that of the menu above the bar. */
function Sidebar({ id, marks = {}, children }: SidebarProps & { id?: string }) {
  const [path] = useLocation()
  const range = useCarriedRange(({ query }) => query)
  return (
    <nav
      id={id}
      aria-label="Views"
      className={cn(
        'flex w-52 shrink-0 flex-col overflow-y-auto bg-canvas rail:w-13 rail:[scrollbar-width:none] print:hidden [&>*]:shrink-0',
        'phone:absolute phone:inset-x-0 phone:bottom-full phone:z-40 phone:max-h-[calc(100dvh-7rem)] phone:w-full phone:rounded-t-xl phone:border-line phone:border-t phone:shadow-float',
      )}
    >
      <div className="flex h-14 items-center gap-2 px-4 phone:hidden">
        <Mark />
        <span className="font-semibold text-lg rail:hidden">Tollgate</span>
      </div>
      <div className="px-2 pb-2 phone:pt-3">
        <button
          type="button"
          onClick={openPalette}
          aria-label="Search and commands"
          className="flex h-8 w-full items-center gap-2 rounded-md border border-line bg-surface px-2.5 text-ink-3 text-sm hover:text-ink"
        >
          <Search size={13} aria-hidden className="shrink-0" />
          <span className="flex-1 text-left rail:hidden">Go to…</span>
          <kbd className="font-sans text-xs rail:hidden">{paletteShortcut}</kbd>
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
                  'relative flex h-8 items-center gap-2.5 phone:h-10 rounded-md px-2.5 font-medium transition-colors duration-100',
                  current ? 'bg-sunken text-ink' : 'text-ink-2 hover:bg-sunken',
                )}
              >
                <view.icon
                  size={15}
                  aria-hidden
                  className={cn('shrink-0', current ? 'text-accent-ink' : 'text-ink-3')}
                />
                <span className="rail:hidden">{view.name}</span>
                {mark ? (
                  <span
                    aria-hidden
                    className={cn(
                      'ml-auto rounded-full px-1.5 font-medium text-xs rail:absolute rail:top-0 rail:right-0',
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
