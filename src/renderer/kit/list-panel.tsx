import { Maximize2, Minimize2, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, type ReactNode, type TouchEvent, useRef } from 'react'
import { cn } from './cn.ts'
import { IconButton } from './icon-button.tsx'

interface ListPanelProps {
  open: boolean
  wide: boolean
  /** The class of its width while it is not wide. */
  width: string
  onClose: () => void
  children: ReactNode
}

/** A panel next to a list. It is not modal: the list stays usable, and arrow keys walk through it. */
export function ListPanel({ open, wide, width, onClose, children }: ListPanelProps) {
  const swipe = useSwipe(onClose)
  return (
    <Dialog.Root open={open} modal={false} onOpenChange={(next) => next || onClose()}>
      {/* Where it stands, not at the end of the page: the banners of the window stay above it. */}
      <Dialog.Content
        aria-describedby={undefined}
        onOpenAutoFocus={(event) => event.preventDefault()}
        onCloseAutoFocus={(event) => {
          event.preventDefault()
          returnFocusToList()
        }}
        onInteractOutside={(event) => event.preventDefault()}
        {...swipe}
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

/** After closing the panel from within it, the user continues in the list. */
function returnFocusToList(): void {
  if (document.activeElement !== document.body && document.activeElement !== null) return
  document.querySelector<HTMLElement>('tr[data-row][tabindex="0"]')?.focus({ preventScroll: true })
}

/** A finger that moves so far to the right, and not much up or down, closes the panel. */
const SWIPE_PX = 80

function useSwipe(onSwipe: () => void) {
  const start = useRef<{ x: number; y: number } | null>(null)
  return {
    onTouchStart({ touches, target }: TouchEvent) {
      const touch = touches[0]
      start.current =
        touch && touches.length === 1 && !scrollsSideways(target)
          ? { x: touch.clientX, y: touch.clientY }
          : null
    },
    onTouchEnd({ changedTouches }: TouchEvent) {
      const touch = changedTouches[0]
      if (!start.current || !touch) return
      const right = touch.clientX - start.current.x
      const down = Math.abs(touch.clientY - start.current.y)
      start.current = null
      if (right > SWIPE_PX && down < right / 2) onSwipe()
    },
  }
}

/** Whether the swipe belongs to something inside of the panel, such as a wide table. */
function scrollsSideways(target: EventTarget): boolean {
  for (let element = target instanceof Element ? target : null; element; element = element.parentElement) {
    if (element.getAttribute('role') === 'dialog') return false
    if (element.scrollWidth > element.clientWidth && getComputedStyle(element).overflowX !== 'visible')
      return true
  }
  return false
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
