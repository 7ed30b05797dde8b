import { useEffect } from 'react'

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
