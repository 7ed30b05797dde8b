import { X } from 'lucide-react'
import { AlertDialog, Dialog as Base } from 'radix-ui'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { IconButton } from './icon-button.tsx'
import { ErrorText } from './notice.tsx'
import { useToastClearance } from './toast-clearance.ts'
import { useSubmit } from './use-submit.ts'

const overlay = 'fixed inset-0 z-40 animate-fade bg-overlay'
// Centered by margins: a translation would move what is sticky inside away from its place.
const panel =
  'fixed inset-0 z-40 m-auto flex max-h-[calc(100vh-3rem)] w-[calc(100vw-2rem)] animate-fade flex-col rounded-xl border border-line bg-raised shadow-float'
const body = 'min-h-0 flex-1 overflow-y-auto px-5 pb-5'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  wide?: boolean
  /** Makes it as high as the window allows, whatever is found: for many things to choose from. */
  large?: boolean
  /** Stays open on a click outside, because what was typed or shown would be lost. */
  ignoreOutsideClick?: boolean
  children: ReactNode
}

export function Dialog({ open, onClose, ...panelProps }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Base.Portal>
        <DialogPanel onClose={onClose} {...panelProps} />
      </Base.Portal>
    </Base.Root>
  )
}

function DialogPanel({
  onClose,
  title,
  description,
  wide = false,
  large = false,
  ignoreOutsideClick = false,
  children,
}: Omit<DialogProps, 'open'>) {
  const returnFocus = useReturnFocus()
  return (
    <>
      <Base.Overlay className={overlay} />
      <Base.Content
        {...(description ? {} : { 'aria-describedby': undefined })}
        onInteractOutside={(event) => {
          if (ignoreOutsideClick || isInToast(event.target)) event.preventDefault()
        }}
        onCloseAutoFocus={returnFocus}
        className={cn(panel, large ? 'h-180 max-w-4xl' : wide ? 'h-fit max-w-2xl' : 'h-fit max-w-md')}
      >
        <header className="px-5 pt-4 pr-12 pb-3">
          <Base.Title className="font-semibold text-lg">{title}</Base.Title>
          {description ? (
            <Base.Description className="mt-0.5 text-ink-2">{description}</Base.Description>
          ) : null}
        </header>
        <div className={cn(body, 'pt-1')}>{children}</div>
        {/* Last in the DOM, so that the first field gets the focus and not this button. */}
        <IconButton label="Close" icon={X} small onClick={onClose} className="absolute top-3 right-3" />
      </Base.Content>
    </>
  )
}

/** Toasts are above a dialog: closing one must not close the dialog. */
function isInToast(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-sonner-toaster]') !== null
}

/** The row of buttons at the end of a dialog; it stays visible while the dialog scrolls, at its edge below the padding. */
export function DialogActions({
  above,
  children,
}: {
  /** Stays visible with the buttons, such as what came of pressing one. */
  above?: ReactNode
  children: ReactNode
}) {
  const ref = useToastClearance()
  return (
    <footer ref={ref} className="sticky -bottom-5 -mx-5 mt-2 -mb-5 rounded-b-xl bg-raised px-5 pt-3 pb-5">
      {above ? <div className="mb-4">{above}</div> : null}
      <div className="flex items-center justify-end gap-2">{children}</div>
    </footer>
  )
}

interface ConfirmDialogProps {
  open: boolean
  onClose: () => void
  title: string
  description: ReactNode
  /** The label of the red button, such as "Revoke key". */
  action: string
  onConfirm: () => Promise<void>
}

/** Asks before something that cannot be undone. When that fails, it stays open and shows the error. */
export function ConfirmDialog({ open, onClose, ...panelProps }: ConfirmDialogProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => next || onClose()}>
      <AlertDialog.Portal>
        <ConfirmPanel onClose={onClose} {...panelProps} />
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

/** Mounts when the dialog opens, so that it never shows the error of an earlier confirmation. */
function ConfirmPanel({ onClose, title, description, action, onConfirm }: Omit<ConfirmDialogProps, 'open'>) {
  const { pending, error, submit } = useSubmit()
  const returnFocus = useReturnFocus()
  return (
    <>
      <AlertDialog.Overlay className={overlay} />
      <AlertDialog.Content onCloseAutoFocus={returnFocus} className={cn(panel, 'h-fit max-w-md')}>
        <AlertDialog.Title className="px-5 pt-5 pb-1.5 font-semibold text-lg">{title}</AlertDialog.Title>
        <div className={body}>
          <AlertDialog.Description asChild>
            <div className="text-ink-2">{description}</div>
          </AlertDialog.Description>
          <ErrorText error={error} className="mt-3" />
          <DialogActions>
            <AlertDialog.Cancel asChild>
              <Button>Cancel</Button>
            </AlertDialog.Cancel>
            <Button variant="danger" pending={pending} onClick={() => void submit(onConfirm, onClose)}>
              {action}
            </Button>
          </DialogActions>
        </div>
      </AlertDialog.Content>
    </>
  )
}

type Openers = readonly HTMLElement[]

/** The openers of each open dialog, in the order in which they opened. One stays until it has returned the focus. */
const openDialogs = new Set<Openers>()

/**
 * The `onCloseAutoFocus` handler of a dialog. Radix returns the focus only to a `Dialog.Trigger`, and our dialogs are opened
 * by state. Call it in a component that mounts when the dialog opens.
 */
export function useReturnFocus(): (event: Event) => void {
  // When the dialog takes the place of another, its own opener disappears with that one.
  const [openers] = useState<Openers>(() => [...findOpener(), ...([...openDialogs].at(-1) ?? [])])
  useEffect(() => {
    openDialogs.add(openers)
  }, [openers])
  return (event) => {
    event.preventDefault()
    openDialogs.delete(openers)
    // The dialog that took the place of this one has the focus.
    if (document.activeElement?.closest('[role=dialog], [role=alertdialog]')) return
    openers.find(({ isConnected }) => isConnected)?.focus()
  }
}

/** The focused element, if any; for a menu item, which disappears with its menu, the button of the menu. */
function findOpener(): HTMLElement[] {
  const { activeElement, body } = document
  const menuButton = activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  const opener = menuButton ? document.getElementById(menuButton) : activeElement
  return opener instanceof HTMLElement && opener !== body ? [opener] : []
}
