import { useEffect, useState } from 'react'

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
