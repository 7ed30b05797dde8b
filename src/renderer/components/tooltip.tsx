import { Tooltip as Base } from 'radix-ui'
import type { ReactNode } from 'react'

/** Must not be the only source of information: touch screens and some assistive technologies do not show it. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Base.Root>
      <Base.Trigger asChild>{children}</Base.Trigger>
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
  )
}
