import { Popover } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

type PopoverPanelProps = Pick<ComponentProps<typeof Popover.Content>, 'align' | 'aria-label' | 'children'> & {
  className: string
}

/** The content of a `Popover.Root`. */
export function PopoverPanel({ className, ...rest }: PopoverPanelProps) {
  return (
    <Popover.Portal>
      <Popover.Content
        {...rest}
        sideOffset={4}
        collisionPadding={8}
        // Above dialogs, because some triggers are in one.
        className={cn(
          'z-50 max-w-[calc(100vw-2rem)] animate-rise rounded-lg border border-line bg-raised shadow-float',
          className,
        )}
      />
    </Popover.Portal>
  )
}
