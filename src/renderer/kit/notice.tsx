// Notices in place of content: nothing there yet, still loading, or failed to load.

import { CircleAlert, type LucideIcon, RotateCw, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ApiError } from './api-error.ts'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { useConnection } from './connection.ts'

interface EmptyStateProps {
  icon: LucideIcon
  title: string
  children?: ReactNode
  action?: ReactNode
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center justify-center px-6 py-14 text-center">
      <Icon size={22} aria-hidden className="text-ink-3" strokeWidth={1.5} />
      <h2 className="mt-3 font-semibold">{title}</h2>
      <div className="mt-1 max-w-md text-balance text-ink-2">{children}</div>
      {action ? <div className="mt-4 flex gap-2">{action}</div> : null}
    </div>
  )
}

/** While the gateway is of no use at all, the banner above the views says why and what to do. */
export function LoadError({ error, onRetry }: { error: ApiError | null; onRetry: () => void }) {
  const outage = useConnection((store) => store.outage)
  if (outage !== null) {
    return (
      <div className="flex flex-col items-center justify-center px-6 py-14 text-center">
        <Unplug size={22} aria-hidden className="text-ink-3" strokeWidth={1.5} />
        <p className="mt-3 text-ink-2">Not loaded. This appears when the gateway responds again.</p>
      </div>
    )
  }
  return (
    <div role="alert" className="flex flex-col items-center justify-center px-6 py-14 text-center">
      <CircleAlert size={22} aria-hidden className="text-bad" strokeWidth={1.5} />
      <p className="mt-3 max-w-md text-balance">{error?.message ?? 'This could not be loaded.'}</p>
      {error?.requestId ? <p className="mt-1 font-mono text-ink-3 text-sm">{error.requestId}</p> : null}
      <Button icon={RotateCw} className="mt-4" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

interface QueryStateProps {
  query: { isPending: boolean; isLoadingError: boolean; error: ApiError | null; refetch: () => unknown }
  /** Placeholders while it is read. */
  rows?: number
}

/** Stands in place of what a query reads until it is read. */
export function QueryState({ query: { isPending, isLoadingError, error, refetch }, rows }: QueryStateProps) {
  if (isPending) return <SkeletonRows {...(rows && { rows })} />
  return isLoadingError ? <LoadError error={error} onRetry={() => void refetch()} /> : null
}

/** The error of an action, shown next to the control that started it. */
export function InlineError({ error }: { error: ApiError | string | null }) {
  if (error === null) return null
  const text = typeof error === 'string' ? error : error.message
  return (
    <p role="alert" className="flex gap-2 rounded-md bg-bad-soft px-3 py-2 text-bad">
      <CircleAlert size={14} aria-hidden className="mt-[3px] shrink-0" />
      <span className="min-w-0 break-words">{text}</span>
    </p>
  )
}

interface ErrorTextProps {
  error: ApiError | string | null | undefined
  className?: string
}

/** An error without a box, where space is short. */
export function ErrorText({ error, className }: ErrorTextProps) {
  if (!error) return null
  return (
    <p role="alert" className={cn('text-bad text-sm', className)}>
      {typeof error === 'string' ? error : error.message}
    </p>
  )
}

/** A placeholder while content loads. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cn('animate-pulse rounded-md bg-sunken', className)} />
}

export function SkeletonRows({ rows = 5 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3 p-4">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity other than their position
        <Skeleton key={index} className="h-5" />
      ))}
    </div>
  )
}
