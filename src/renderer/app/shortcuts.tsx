import { Dialog } from '../kit/dialog.tsx'
import { ShortcutList } from './help/shortcut-list.tsx'
import { useShortcutStore, useShortcuts } from './use-shortcuts.ts'

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
