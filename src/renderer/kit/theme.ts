import { useEffect, useSyncExternalStore } from 'react'
import { create } from 'zustand'

const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** The height of a row in pixels. */
const ROW_HEIGHTS = { comfortable: 36, compact: 30 } as const
export type Density = keyof typeof ROW_HEIGHTS

const STORAGE_KEY = 'tollgate.theme'
const DENSITY_KEY = 'tollgate.density'
const systemDark = () => window.matchMedia('(prefers-color-scheme: dark)')

interface ThemeStore {
  theme: Theme
  resolved: 'light' | 'dark'
  density: Density
  setTheme(theme: Theme): void
  setDensity(density: Density): void
}

export const useTheme = create<ThemeStore>()((set) => ({
  theme: 'system',
  resolved: 'light',
  density: 'comfortable',
  setTheme(theme) {
    localStorage.setItem(STORAGE_KEY, theme)
    set({ theme, resolved: applyTheme(theme) })
  },
  setDensity(density) {
    localStorage.setItem(DENSITY_KEY, density)
    set({ density: applyDensity(density) })
  },
}))

/** Applies the stored theme and height of rows, and follows changes of the system theme. Call it before the first paint. */
export function startTheme(): void {
  const stored = THEMES.find((theme) => theme === localStorage.getItem(STORAGE_KEY)) ?? 'system'
  const density = localStorage.getItem(DENSITY_KEY) === 'compact' ? 'compact' : 'comfortable'
  useTheme.setState({ theme: stored, resolved: applyTheme(stored), density: applyDensity(density) })
  systemDark().addEventListener('change', () => {
    const { theme } = useTheme.getState()
    useTheme.setState({ resolved: applyTheme(theme) })
  })
}

function applyTheme(theme: Theme): 'light' | 'dark' {
  const resolved = theme === 'system' ? (systemDark().matches ? 'dark' : 'light') : theme
  document.documentElement.dataset.theme = resolved
  return resolved
}

function applyDensity(density: Density): Density {
  document.documentElement.style.setProperty('--row', `${ROW_HEIGHTS[density]}px`)
  return density
}

/** The height of a row of a list, in pixels. */
export function useRowHeight(): number {
  return ROW_HEIGHTS[useTheme(({ density }) => density)]
}

/** Whether the window matches a media query, such as `(min-width: 1100px)`. */
export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = window.matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    () => window.matchMedia(query).matches,
  )
}

/** Prints in the light theme, because browsers do not print the dark background. */
export function useLightPrint(): void {
  useEffect(() => {
    const { dataset } = document.documentElement
    let before = dataset.theme
    const start = () => {
      before = dataset.theme
      dataset.theme = 'light'
    }
    const end = () => {
      dataset.theme = before
    }
    window.addEventListener('beforeprint', start)
    window.addEventListener('afterprint', end)
    return () => {
      window.removeEventListener('beforeprint', start)
      window.removeEventListener('afterprint', end)
    }
  }, [])
}
