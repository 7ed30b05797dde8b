import { type RefObject, useEffect, useRef } from 'react'
import { useLocationProperty } from 'wouter/use-browser-location'

interface HashTarget {
  ref: RefObject<HTMLDivElement | null>
  isTarget: boolean
}

/** Scrolls to the element when the address names its id. The browser does so only for a click on a link within the page. */
export function useHashTarget(id: string): HashTarget {
  const ref = useRef<HTMLDivElement>(null)
  const isTarget = useLocationProperty(() => window.location.hash === `#${id}`)
  useEffect(() => {
    if (!isTarget) return
    const scroll = () => {
      if (window.location.hash === `#${id}`) ref.current?.scrollIntoView()
    }
    scroll()
    // Wouter's event: the same address again, after the user scrolled on.
    window.addEventListener('pushState', scroll)
    return () => window.removeEventListener('pushState', scroll)
  }, [isTarget, id])
  return { ref, isTarget }
}
