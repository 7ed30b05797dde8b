import { VIEWS } from '../../shared/desktop/views.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { isMac, paletteShortcut } from './palette/palette-state.ts'

/** Views beyond the ninth have no number. */
const NUMBERED = VIEWS.slice(0, 9)
const modifier = isMac ? '⌘' : 'Ctrl '

/** The keys that open a view; null if it has no number. Browsers use Ctrl and a number for their tabs. */
export function getViewShortcut(href: string): string | null {
  const at = NUMBERED.findIndex((view) => view.href === href)
  if (at < 0) return null
  return isDesktop ? `${modifier}${at + 1}` : `G ${at + 1}`
}

export interface ShortcutGroup {
  title: string
  shortcuts: readonly { keys: string; does: string }[]
}

export const shortcutGroups: readonly ShortcutGroup[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: paletteShortcut, does: 'Search or run a command' },
      { keys: '/', does: 'Search in the view' },
      { keys: 'N', does: 'Create what the view lists: a key, a provider, an alias, a chat' },
      { keys: '?', does: 'Show these shortcuts' },
      { keys: 'Esc', does: 'Close a dialog, a menu or a panel' },
      ...(isDesktop ? [{ keys: `${modifier},`, does: 'Open Settings' }] : []),
    ],
  },
  {
    title: 'Views',
    shortcuts: NUMBERED.map(({ name }, at) => ({
      keys: isDesktop ? `${modifier}${at + 1} or G ${at + 1}` : `G ${at + 1}`,
      does: name,
    })),
  },
  {
    title: 'Requests',
    shortcuts: [
      { keys: '↑ ↓', does: 'Move from request to request' },
      { keys: 'Enter', does: 'Show the details' },
      { keys: 'Home End', does: 'First and last request' },
    ],
  },
  {
    title: 'Playground',
    shortcuts: [
      { keys: 'Enter', does: 'Send' },
      { keys: 'Shift Enter', does: 'New line' },
      { keys: 'Esc', does: 'Stop an answer' },
    ],
  },
]
