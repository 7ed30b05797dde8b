import type { ReactNode } from 'react'
import { cn } from './cn.ts'

interface FactsProps {
  /** The width of the names. */
  columns: string
  children: ReactNode
}

/** A list of names with what they stand for. */
export function Facts({ columns, children }: FactsProps) {
  return <dl className={cn('grid [&>dt]:text-ink-3', columns)}>{children}</dl>
}

interface FactProps {
  name: ReactNode
  className?: string
  /** A fact that is not known, null or false, is left out. */
  children: ReactNode
}

export function Fact({ name, className, children }: FactProps) {
  if (children === null || children === false) return null
  return (
    <>
      <dt>{name}</dt>
      <dd className={className}>{children}</dd>
    </>
  )
}
