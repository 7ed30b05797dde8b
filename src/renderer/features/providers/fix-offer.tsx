import { Lightbulb } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'

interface FixOfferProps {
  /** The problem; nothing where it is said already. */
  children?: ReactNode
  /** The text of the button, such as "Use http://…". */
  action: string
  disabled?: boolean
  onFix: () => void
}

/** A mistake in a field, and the button that corrects it. */
export function FixOffer({ children, action, disabled = false, onFix }: FixOfferProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 text-ink-2 text-sm">
      {children ? (
        <span className="flex min-w-0 gap-1.5">
          <Lightbulb size={14} aria-hidden className="mt-0.5 shrink-0 text-warn" />
          {children}
        </span>
      ) : null}
      <Button small onClick={onFix} disabled={disabled} className="max-w-full">
        <span className="truncate">{action}</span>
      </Button>
    </div>
  )
}
