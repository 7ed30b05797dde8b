import { Command } from 'cmdk'
import type { ReactNode } from 'react'

/**
 * What a searched list shows without a match. It is a disabled option, because screen readers do not announce a listbox
 * without options.
 */
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
