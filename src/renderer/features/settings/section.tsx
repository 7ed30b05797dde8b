import { createContext, type ReactNode, type RefObject, use, useEffect, useId, useRef } from 'react'
import { useLocationProperty } from 'wouter/use-browser-location'
import { saveWithUndo } from '../../data/save-with-undo.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { cn } from '../../kit/cn.ts'
import { Switch } from '../../kit/switch.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { type SectionTitle, settingAnchor, settingsIndex } from './settings-index.ts'

/** The names of the settings that a search has found; null without a search. */
export const FoundSettings = createContext<ReadonlySet<string> | null>(null)

/** Whether a search has found nothing in the section. */
export function isSectionHidden(title: SectionTitle, found: ReadonlySet<string> | null): boolean {
  return found !== null && !settingsIndex.some(({ name, section }) => section === title && found.has(name))
}

export function Section({ title, children }: { title: SectionTitle; children: ReactNode }) {
  const headingId = useId()
  const id = settingAnchor(title)
  const { ref } = useHashTarget(id)
  if (isSectionHidden(title, use(FoundSettings))) return null
  return (
    <section ref={ref} id={id} aria-labelledby={headingId} className="scroll-mt-4">
      <h2 id={headingId} className="mb-2 font-semibold">
        {title}
      </h2>
      <div className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface shadow-card">
        {children}
      </div>
    </section>
  )
}

interface RowProps {
  title: string
  /** The explanation. */
  text: ReactNode
  /** Why the last change failed. */
  error?: ApiError | null
  /** The part that does not fit next to the title: a list, a form. */
  below?: ReactNode
  children?: ReactNode
}

/** A setting. The row that the address names is highlighted. */
export function Row({ title, text, error, below, children }: RowProps) {
  const id = settingAnchor(title)
  const { ref, isTarget } = useHashTarget(id)
  const found = use(FoundSettings)
  if (found?.has(title) === false) return null
  return (
    <div
      ref={ref}
      id={id}
      className={cn('scroll-mt-10 px-4 py-3', isTarget && 'bg-sunken shadow-[inset_3px_0_0_var(--accent)]')}
    >
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div className="min-w-56 flex-1">
          <h3 className="font-medium">{title}</h3>
          <div className="text-ink-3 text-sm">{text}</div>
          {error ? (
            <p role="alert" className="text-bad text-sm">
              {error.message}
            </p>
          ) : null}
        </div>
        {children ? <div className="flex flex-wrap items-center gap-2">{children}</div> : null}
      </div>
      {below}
    </div>
  )
}

interface SwitchRowProps extends Omit<RowProps, 'error' | 'children'> {
  /** The label of the switch, if not the title. */
  label?: string
  on: boolean
  save: (on: boolean) => Promise<void>
}

/** A setting that is on or off. */
export function SwitchRow({ label, on, save, ...row }: SwitchRowProps) {
  const { pending, error, submit } = useSubmit()
  const name = label ?? row.title
  const change = (next: boolean) =>
    submit(() =>
      saveWithUndo({
        message: `“${name}” is ${next ? 'on' : 'off'}.`,
        save: () => save(next),
        undo: () => save(on),
      }),
    )
  return (
    <Row {...row} error={error}>
      <Switch label={name} on={on} disabled={pending} onChange={(next) => void change(next)} />
    </Row>
  )
}

interface HashTarget {
  ref: RefObject<HTMLDivElement | null>
  isTarget: boolean
}

/** Scrolls to the element when the address names its id. The browser does so only for a click on a link within the page. */
function useHashTarget(id: string): HashTarget {
  const ref = useRef<HTMLDivElement>(null)
  const isTarget = useLocationProperty(() => window.location.hash === `#${id}`)
  useEffect(() => {
    if (!isTarget) return
    const scroll = () => {
      if (window.location.hash === `#${id}`) ref.current?.scrollIntoView()
    }
    scroll()
    // Wouter's event: the same address again, after the user scrolled on.
    window.addEventListener('pushState', scroll)
    return () => window.removeEventListener('pushState', scroll)
  }, [isTarget, id])
  return { ref, isTarget }
}
