import { LimitDialog } from '../parts/limits/limit-dialog.tsx'
import { PauseDialog } from '../parts/pausing/pause-dialog.tsx'
import { Shortcuts } from './shortcuts.tsx'

/** The overlays that keys, toasts and menus open over any view. */
export function Overlays() {
  return (
    <>
      <Shortcuts />
      <LimitDialog />
      <PauseDialog />
    </>
  )
}
