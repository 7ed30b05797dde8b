import { Lightbulb } from 'lucide-react'
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'

interface FixableFieldProps extends ComponentProps<typeof TextField> {
  /** Says that what was typed is not what was meant. */
  problem: string
  /** The text that was meant, and the label of the button for it; null if nothing is wrong. */
  fix: (text: string) => { action: string; fixed: string } | null
}

/** A field that offers to correct what was pasted, once it is left. */
export function FixableField({ problem, fix, value, onChange, ...rest }: FixableFieldProps) {
  const { typing, startTyping, fieldProps } = useTyping()
  const meant = typing ? null : fix(value)
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1.5">
      <TextField
        value={value}
        onChange={(text) => {
          startTyping()
          onChange(text)
        }}
        {...fieldProps}
        {...rest}
      />
      {meant === null ? null : (
        <FixOffer action={meant.action} onFix={() => onChange(meant.fixed)}>
          {problem}
        </FixOffer>
      )}
    </div>
  )
}

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

/**
 * Whether the user changes a field: from the first change until the field is left. A press elsewhere ends that only once it is
 * over: what then appears would move the button that is pressed away from the pointer. A click into the field does not begin it:
 * what then disappears would move the field.
 */
function useTyping() {
  const [typing, setTyping] = useState(false)
  const pressing = useRef(false)
  const left = useRef(false)
  useEffect(() => {
    const down = () => {
      pressing.current = true
    }
    const up = () => {
      pressing.current = false
      // The click follows in the same task.
      setTimeout(() => left.current && setTyping(false))
    }
    document.addEventListener('pointerdown', down, true)
    document.addEventListener('pointerup', up, true)
    document.addEventListener('pointercancel', up, true)
    return () => {
      document.removeEventListener('pointerdown', down, true)
      document.removeEventListener('pointerup', up, true)
      document.removeEventListener('pointercancel', up, true)
    }
  }, [])
  return {
    typing,
    startTyping: () => setTyping(true),
    fieldProps: {
      onFocus: () => {
        left.current = false
      },
      onBlur: () => {
        left.current = true
        if (!pressing.current) setTyping(false)
      },
    },
  }
}
