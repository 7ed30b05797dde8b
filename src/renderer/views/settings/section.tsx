import type { ReactNode } from 'react'
import type { ApiError } from '../../api-error.ts'

export type SectionTitle =
  | 'Gateway'
  | 'Account'
  | 'Notifications'
  | 'Records'
  | 'Web pages'
  | 'Appearance'
  | 'Backup and restore'
  | 'About'

/** The anchor of a section. */
export function sectionId(title: SectionTitle): string {
  return title.toLowerCase().replaceAll(' ', '-')
}

export function Section({ title, children }: { title: SectionTitle; children: ReactNode }) {
  const id = sectionId(title)
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="mb-2 scroll-mt-4 font-semibold">
        {title}
      </h2>
      <div className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
        {children}
      </div>
    </section>
  )
}

interface RowProps {
  title: string
  /** What it means. */
  text: ReactNode
  /** Why the last change failed. */
  error?: ApiError | null
  children: ReactNode
}

export function Row({ title, text, error, children }: RowProps) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-4 py-3">
      <div className="min-w-56 flex-1">
        <h3 className="font-medium">{title}</h3>
        <div className="text-ink-3 text-sm">{text}</div>
        {error ? (
          <p role="alert" className="text-bad text-sm">
            {error.message}
          </p>
        ) : null}
      </div>
      <div className="flex shrink-0 items-center gap-2">{children}</div>
    </div>
  )
}
