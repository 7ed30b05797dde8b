import { Dialog } from '../kit/dialog.tsx'
import { lazyView } from '../kit/lazy-view.tsx'
import { setAddProviderOpen, useAddProvider } from '../parts/controls/add-provider.ts'
import { LimitDialog } from '../parts/limits/limit-form.tsx'
import { ShortcutList } from './help/shortcut-list.tsx'
import { PauseDialog } from './pause-dialog.tsx'
import { useShortcutStore, useShortcuts } from './use-shortcuts.ts'

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

/** The keys of the whole window, and the list of them that ? shows. */
export function Shortcuts() {
  useShortcuts()
  const listed = useShortcutStore((store) => store.listed)
  return (
    <Dialog
      open={listed}
      onClose={() => useShortcutStore.setState({ listed: false })}
      title="Keyboard shortcuts"
      wide
    >
      <ShortcutList />
    </Dialog>
  )
}
