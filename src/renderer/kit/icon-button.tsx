import type { LucideIcon } from 'lucide-react'
import { Tooltip as Base } from 'radix-ui'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { cn } from './cn.ts'

const DELAY_MS = 400
/** A tooltip appears immediately so soon after another one, as the pointer moves along a row of buttons. */
const NEXT_MS = 200
let closedAt = Number.NEGATIVE_INFINITY

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  /** The accessible name, also shown as a tooltip. */
  label: string
  icon: LucideIcon
  small?: boolean
}

export function IconButton({ label, icon: Icon, small = false, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        className={cn(
          'inline-flex shrink-0 items-center justify-center rounded-md text-ink-3 transition-colors duration-100 hover:bg-sunken hover:text-ink disabled:opacity-50 data-[state=open]:bg-sunken',
          small ? 'size-7' : 'size-8',
          className,
        )}
        {...rest}
      >
        <Icon size={small ? 14 : 16} aria-hidden />
      </button>
    </Tooltip>
  )
}

/** Must not be the only source of information: touch screens and some assistive technologies do not show it. */
function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  const [delayMs, setDelayMs] = useState(DELAY_MS)
  return (
    <Base.Provider>
      <Base.Root
        delayDuration={delayMs}
        onOpenChange={(isOpen) => {
          if (!isOpen) closedAt = performance.now()
        }}
      >
        <Base.Trigger
          asChild
          onPointerEnter={() => setDelayMs(performance.now() - closedAt < NEXT_MS ? 0 : DELAY_MS)}
        >
          {children}
        </Base.Trigger>
        <Base.Portal>
          <Base.Content
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-72 animate-fade rounded-md bg-ink px-2 py-1 text-canvas text-sm shadow-float"
          >
            {text}
          </Base.Content>
        </Base.Portal>
      </Base.Root>
    </Base.Provider>
  )
}
