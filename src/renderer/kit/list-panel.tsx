import { Maximize2, Minimize2, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import type { KeyboardEvent, ReactNode } from 'react'
import { cn } from './cn.ts'
import { IconButton } from './icon-button.tsx'

interface ListPanelProps {
  open: boolean
  wide: boolean
  /** The class of its width while it is not wide. */
  width: string
  onClose: () => void
  /** Gives the focus back to the row that was open. */
  onReturnFocus: () => void
  children: ReactNode
}

/** A panel next to a list. It is not modal: the list stays usable, and arrow keys walk through it. */
export function ListPanel({ open, wide, width, onClose, onReturnFocus, children }: ListPanelProps) {
  return (
    <Dialog.Root open={open} modal={false} onOpenChange={(next) => next || onClose()}>
      {/* Where it stands, not at the end of the page: the banners of the window stay above it. */}
      <Dialog.Content
        aria-describedby={undefined}
        onOpenAutoFocus={(event) => event.preventDefault()}
        onCloseAutoFocus={(event) => {
          event.preventDefault()
          onReturnFocus()
        }}
        onInteractOutside={(event) => event.preventDefault()}
        className={cn(
          'absolute inset-y-0 right-0 z-30 flex max-w-full animate-slide flex-col border-line border-l bg-raised shadow-float',
          wide ? 'w-[min(60rem,100vw)]' : width,
        )}
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: nothing to interact with, only the Tab key of what is inside */}
        <div className="contents" onKeyDown={letTabLeave}>
          {children}
        </div>
      </Dialog.Content>
    </Dialog.Root>
  )
}

/** Radix returns the focus from the last control of a dialog to its first, even in one that is not modal. */
function letTabLeave(event: KeyboardEvent): void {
  if (event.key === 'Tab') event.stopPropagation()
}

interface PanelButtonsProps {
  wide: boolean
  onToggleWide: () => void
  onClose: () => void
}

export function PanelButtons({ wide, onToggleWide, onClose }: PanelButtonsProps) {
  return (
    <>
      <IconButton
        label={wide ? 'Make the panel narrower' : 'Make the panel wider'}
        icon={wide ? Minimize2 : Maximize2}
        small
        onClick={onToggleWide}
      />
      <IconButton label="Close" icon={X} small onClick={onClose} />
    </>
  )
}
