// Named parameters. They are stored in this browser's localStorage.
import { z } from 'zod'
import { create } from 'zustand'
import { Parameters, pickParameters } from './parameters.ts'

const Preset = z.object({ name: z.string(), parameters: Parameters })
export type Preset = z.infer<typeof Preset>

const STORAGE_KEY = 'tollgate.presets'

interface PresetStore {
  /** The presets by name. */
  presets: readonly Preset[]
  /** Replaces a preset of the same name. */
  save(name: string, parameters: Parameters): void
  remove(name: string): void
}

export const usePresets = create<PresetStore>()((set, get) => {
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
