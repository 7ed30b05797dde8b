import { type RefCallback, useCallback } from 'react'
import { create } from 'zustand'

/** Toasts are at the bottom right of the window: their width (sonner's), the height of one, and the distance from the edges. */
const TOAST = { width: 356, height: 72, margin: 16 } as const
const GAP = 8

/** The buttons that toasts must not cover: the composer of the playground, and the actions of a dialog. */
const kept = new Set<HTMLElement>()

/** The distance of the toasts from the bottom of the window. */
export const useToastBottom = create<{ bottom: number }>()(() => ({ bottom: TOAST.margin }))

/** A ref for an element that toasts must not cover. */
export function useToastClearance(): RefCallback<HTMLElement> {
  return useCallback((element) => {
    if (element === null) return
    kept.add(element)
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    // A dialog that grows moves its buttons, without a change of their size.
    const dialog = element.closest('[role=dialog], [role=alertdialog]')
    if (dialog) observer.observe(dialog)
    window.addEventListener('resize', measure)
    measure()
    return () => {
      kept.delete(element)
      observer.disconnect()
      window.removeEventListener('resize', measure)
      measure()
    }
  }, [])
}

function measure(): void {
  const bottom = Math.max(TOAST.margin, ...[...kept].map(bottomAbove))
  if (bottom !== useToastBottom.getState().bottom) useToastBottom.setState({ bottom })
}

function bottomAbove(element: HTMLElement): number {
  const { top, bottom, right } = element.getBoundingClientRect()
  const { innerWidth, innerHeight } = window
  const isBeside = right < innerWidth - TOAST.width - 2 * TOAST.margin
  const isAbove = bottom < innerHeight - TOAST.height - 2 * TOAST.margin
  return isBeside || isAbove ? 0 : innerHeight - top + GAP
}
