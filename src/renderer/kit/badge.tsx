// Color only repeats what the text says: it must never be the only sign of a state.
import type { ReactNode } from 'react'
import { cn } from './cn.ts'

export type Tone = 'plain' | 'accent' | 'good' | 'warn' | 'bad'

const toneClasses: Record<Tone, string> = {
  plain: 'bg-sunken text-ink-2',
  accent: 'bg-accent-soft text-accent-ink',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
}

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={cn(
        'inline-flex h-5 shrink-0 items-center rounded-sm px-1.5 font-medium text-xs',
        toneClasses[tone],
      )}
    >
      {children}
    </span>
  )
}

const dotClasses: Record<Tone, string> = {
  plain: 'bg-ink-3',
  accent: 'bg-accent-ink',
  good: 'bg-good-fill',
  warn: 'bg-warn-fill',
  bad: 'bg-bad-fill',
}

/** A state with a colored dot; quieter than a badge, for rows. */
export function StatusDot({
  tone,
  children,
  pulse = false,
}: {
  tone: Tone
  children: ReactNode
  pulse?: boolean
}) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <span
        aria-hidden
        className={cn('size-1.5 shrink-0 rounded-full', dotClasses[tone], pulse && 'animate-pulse')}
      />
      <span className="truncate">{children}</span>
    </span>
  )
}
