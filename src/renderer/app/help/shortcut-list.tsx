import { saveWithUndo } from '../../data/mutations.ts'
import { Switch } from '../../kit/controls.tsx'
import { isDesktop } from '../../kit/is-desktop.ts'
import { paletteShortcut } from '../palette/palette-state.ts'
import { modifier, NUMBERED, setSingleKeys, useShortcutStore } from '../use-shortcuts.ts'

const change = (on: boolean) =>
  saveWithUndo({
    message: `Single-key shortcuts are ${on ? 'on' : 'off'}.`,
    save: async () => setSingleKeys(on),
    undo: async () => setSingleKeys(!on),
  })

export function ShortcutList() {
  const singleKeys = useShortcutStore((store) => store.singleKeys)
  return (
    <div className="flex flex-col gap-5">
      <div className="gap-8 sm:columns-2">
        {shortcutGroups.map(({ title, shortcuts }) => (
          <section key={title} className="mb-5 break-inside-avoid">
            <h3 className="font-medium text-ink-3 text-sm">{title}</h3>
            <dl className="mt-1 divide-y divide-line">
              {shortcuts.map(({ keys, does }) => (
                <div key={does} className="flex items-baseline justify-between gap-6 py-1.5">
                  <dt>{does}</dt>
                  <dd className="shrink-0 text-ink-2">
                    <kbd className="font-sans">{keys}</kbd>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className="flex items-center justify-between gap-6 border-line border-t pt-4">
        <p>
          Single-key shortcuts
          <span className="block text-ink-3 text-sm">
            /, N, ? and G with a number, while nothing is typed.
          </span>
        </p>
        <Switch label="Single-key shortcuts" on={singleKeys} onChange={(on) => void change(on)} />
      </div>
    </div>
  )
}

interface ShortcutGroup {
  title: string
  shortcuts: readonly { keys: string; does: string }[]
}

const shortcutGroups: readonly ShortcutGroup[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: paletteShortcut, does: 'Search or run a command' },
      { keys: '/', does: 'Search in the view' },
      { keys: 'N', does: 'Create what the view lists: a key, a provider, an alias, a chat' },
      { keys: '?', does: 'Show these shortcuts' },
      { keys: 'Esc', does: 'Close a dialog, a menu or a panel' },
      ...(isDesktop
        ? [
            { keys: `${modifier},`, does: 'Open Settings' },
            { keys: `${modifier}Shift M`, does: 'Open or close the taximeter' },
          ]
        : []),
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
    title: 'Requests, Sessions and Usage',
    shortcuts: [
      { keys: '↑ ↓', does: 'Move from row to row' },
      { keys: 'Enter', does: 'Show the details' },
      { keys: 'Home End', does: 'First and last row' },
      { keys: `${modifier}Space`, does: 'Select a row or deselect it, also in other lists' },
      { keys: 'Shift ↑ ↓', does: 'Select the next ones' },
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
