// Owns the look and place of what opens beside a control. What is in it, how wide it is and when it opens is its user's.
import { Popover } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

type PopoverPanelProps = Pick<ComponentProps<typeof Popover.Content>, 'align' | 'aria-label' | 'children'> & {
  className: string
}

/** To stand in a `Popover.Root`, after its trigger. */
export function PopoverPanel({ className, ...rest }: PopoverPanelProps) {
  return (
    <Popover.Portal>
      <Popover.Content
        {...rest}
        sideOffset={4}
        collisionPadding={8}
        // Above dialogs, as some of what opens it stands in one.
        className={cn(
          'z-50 max-w-[calc(100vw-2rem)] animate-rise rounded-lg border border-line bg-raised shadow-float',
          className,
        )}
      />
    </Popover.Portal>
  )
}
