import type { FocusEvent } from 'react'
import { Toaster } from 'sonner'
import { useTheme } from '../kit/theme.ts'
import { useToastBottom } from '../kit/toast-clearance.ts'

const DURATION_MS = 5000

/** Short messages at the bottom right. They close by themselves, except errors (`showError`). */
export function Toasts() {
  const theme = useTheme((store) => store.resolved)
  const bottom = useToastBottom((store) => store.bottom)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing to interact with, only the blur of the toasts inside
    <div onBlur={letFocusGo}>
      <Toaster
        theme={theme}
        position="bottom-right"
        offset={{ bottom, right: 16 }}
        mobileOffset={{ bottom, left: 16, right: 16 }}
        closeButton
        // Above dialogs (40), but below an open list or menu (50), whose items would be under a toast.
        style={{ fontFamily: 'inherit', zIndex: 45 }}
        toastOptions={{
          duration: DURATION_MS,
          closeButtonAriaLabel: 'Close',
          style: { background: 'var(--raised)', color: 'var(--ink)', borderColor: 'var(--line)' },
        }}
      />
    </div>
  )
}

/** Sonner returns the focus when it leaves the toasts, which would keep the Tab key from ever passing them. */
function letFocusGo({ currentTarget, relatedTarget }: FocusEvent): void {
  if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget)) relatedTarget.focus()
}
