import { lazyView } from '../kit/lazy-view.tsx'
import { setAddProviderOpen, useAddProvider } from '../parts/controls/add-provider.ts'
import { LimitDialog } from '../parts/limits/limit-dialog.tsx'
import { PauseDialog } from '../parts/pausing/pause-dialog.tsx'
import { Shortcuts } from './shortcuts.tsx'

const addProvider = lazyView(
  async () => (await import('../features/providers/add-provider.tsx')).AddProvider,
  () => null,
)

/** The overlays that keys, toasts and menus open over any view. */
export function Overlays() {
  const isAdding = useAddProvider(({ isOpen }) => isOpen)
  return (
    <>
      <Shortcuts />
      <LimitDialog />
      <PauseDialog />
      {isAdding ? <addProvider.View onClose={() => setAddProviderOpen(false)} /> : null}
    </>
  )
}
