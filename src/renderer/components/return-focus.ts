import { useState } from 'react'

/**
 * The `onCloseAutoFocus` handler of a dialog. Radix returns the focus only to a `Dialog.Trigger`, and our dialogs are opened
 * by state. Call it in a component that mounts when the dialog opens.
 */
export function useReturnFocus(): (event: Event) => void {
  const [opener] = useState(findOpener)
  return (event) => {
    event.preventDefault()
    if (opener?.isConnected) opener.focus()
  }
}

/** The focused element; for a menu item, which disappears with its menu, the button of the menu. */
function findOpener(): HTMLElement | null {
  const { activeElement } = document
  const menuButton = activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  const opener = menuButton ? document.getElementById(menuButton) : activeElement
  return opener instanceof HTMLElement ? opener : null
}
