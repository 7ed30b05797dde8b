import { saveWithUndo } from '../../data/save-with-undo.ts'
import { Switch } from '../../kit/switch.tsx'
import { setSingleKeys, shortcutGroups, useShortcutStore } from '../use-shortcuts.ts'

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
