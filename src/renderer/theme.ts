// Owns the choice between light, dark and the system's theme. Knows nothing of colours.
import { create } from 'zustand'

const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const SLOT = 'tollgate.theme'
const systemDark = () => window.matchMedia('(prefers-color-scheme: dark)')

interface ThemeStore {
  theme: Theme
  /** What is shown now. */
  resolved: 'light' | 'dark'
  setTheme(theme: Theme): void
}

export const useTheme = create<ThemeStore>()((set) => ({
  theme: 'system',
  resolved: 'light',
  setTheme(theme) {
    localStorage.setItem(SLOT, theme)
    set({ theme, resolved: show(theme) })
  },
}))

/** Shows the kept theme before the first paint, and follows the system from then on. */
export function startTheme(): void {
  const kept = THEMES.find((theme) => theme === localStorage.getItem(SLOT)) ?? 'system'
  useTheme.setState({ theme: kept, resolved: show(kept) })
  systemDark().addEventListener('change', () => {
    const { theme } = useTheme.getState()
    useTheme.setState({ resolved: show(theme) })
  })
}

function show(theme: Theme): 'light' | 'dark' {
  const resolved = theme === 'system' ? (systemDark().matches ? 'dark' : 'light') : theme
  document.documentElement.dataset.theme = resolved
  return resolved
}
