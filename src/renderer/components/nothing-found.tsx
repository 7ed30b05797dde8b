// Owns what stands in a searched list when nothing fits. It reads as an option that cannot be chosen: a list of options
// without any is not one to a screen reader.
import { Command } from 'cmdk'
import type { ReactNode } from 'react'

export function NothingFound({ children }: { children: ReactNode }) {
  return (
    <Command.Empty>
      {/* biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus */}
      <div role="option" aria-disabled aria-selected={false} className="px-3 py-8 text-center text-ink-3">
        {children}
      </div>
    </Command.Empty>
  )
}
