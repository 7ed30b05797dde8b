import { Bookmark, Trash2 } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type FormEvent, useState } from 'react'
import { toast } from 'sonner'
import { z } from 'zod'
import { create } from 'zustand'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { PopoverPanel } from '../../kit/popover-panel.tsx'
import { DEFAULT_PARAMETERS, Parameters, pickParameters } from '../../parts/chats/parameters.ts'

interface PresetsProps {
  parameters: Parameters
  onLoad: (parameters: Parameters) => void
}

/** Saves the parameters under a name, and loads saved ones. */
export function Presets({ parameters, onLoad }: PresetsProps) {
  const { presets, save, remove } = usePresets()
  const [open, setOpen] = useState(false)
  const [name, setName] = useState('')
  const current = JSON.stringify(pickParameters(parameters))
  const used = presets.find((preset) => JSON.stringify(preset.parameters) === current)
  const load = (loaded: Parameters) => {
    onLoad(loaded)
    setOpen(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return
    save(name.trim(), parameters)
    toast.success(`Saved the preset “${name.trim()}”.`)
    setName('')
    setOpen(false)
  }
  return (
    <div className="flex items-center gap-2">
      <Popover.Root open={open} onOpenChange={setOpen}>
        <Popover.Trigger asChild>
          <Button small icon={Bookmark} className="min-w-0 shrink">
            <span className="truncate">{used ? `Preset: ${used.name}` : 'Presets'}</span>
          </Button>
        </Popover.Trigger>
        <PopoverPanel align="start" aria-label="Presets" className="w-72 p-1">
          {presets.length === 0 ? (
            <p className="px-2.5 py-2 text-ink-3 text-sm">
              Save the system prompt and the parameters under a name to use them again.
            </p>
          ) : (
            <ul className="max-h-60 overflow-y-auto">
              {presets.map((preset) => (
                <li key={preset.name} className="flex items-center gap-1">
                  <button
                    type="button"
                    onClick={() => load(preset.parameters)}
                    className="min-w-0 flex-1 truncate rounded-md px-2 py-1.5 text-left -outline-offset-2 hover:bg-sunken"
                  >
                    {preset.name}
                  </button>
                  <IconButton
                    small
                    icon={Trash2}
                    label={`Delete the preset ${preset.name}`}
                    onClick={() => remove(preset.name)}
                  />
                </li>
              ))}
            </ul>
          )}
          <form onSubmit={submit} className="mt-1 flex items-end gap-2 border-line border-t px-2 pt-2 pb-1.5">
            <TextField
              label="Save current as"
              placeholder="Name"
              value={name}
              onChange={setName}
              className="min-w-0 flex-1"
            />
            <Button type="submit" disabled={name.trim() === ''}>
              Save
            </Button>
          </form>
        </PopoverPanel>
      </Popover.Root>
      <Button
        small
        variant="quiet"
        className="ml-auto"
        disabled={current === JSON.stringify(DEFAULT_PARAMETERS)}
        onClick={() => onLoad(DEFAULT_PARAMETERS)}
      >
        Reset all
      </Button>
    </div>
  )
}

// Named parameters. They are stored in this browser's localStorage.

const Preset = z.object({ name: z.string(), parameters: Parameters })
type Preset = z.infer<typeof Preset>

const STORAGE_KEY = 'tollgate.presets'

interface PresetStore {
  /** The presets by name. */
  presets: readonly Preset[]
  /** Replaces a preset of the same name. */
  save(name: string, parameters: Parameters): void
  remove(name: string): void
}

const usePresets = create<PresetStore>()((set, get) => {
  const store = (presets: readonly Preset[]) => {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(presets))
    set({ presets })
  }
  const others = (name: string) => get().presets.filter((preset) => preset.name !== name)
  return {
    presets: loadPresets(),
    save(name, parameters) {
      const all = [...others(name), { name, parameters: pickParameters(parameters) }]
      store(all.toSorted((a, b) => a.name.localeCompare(b.name)))
    },
    remove: (name) => store(others(name)),
  }
})

function loadPresets(): Preset[] {
  try {
    return z.array(Preset).parse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]'))
  } catch {
    return []
  }
}
