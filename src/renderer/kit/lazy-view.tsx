import { type ComponentType, useEffect, useState } from 'react'

const Nothing = () => null

export interface LazyView<Props> {
  View: ComponentType<Props>
  /** Loads it, so that it is shown without delay later. */
  preload: () => Promise<unknown>
}

/**
 * A part of the window that is loaded when it is first shown. Once loaded it is shown in the same frame, whereas React shows
 * the fallback of a `lazy` component at least once, and then for up to 300 ms.
 */
export function lazyView<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Fallback: ComponentType<Props> = Nothing,
): LazyView<Props> {
  let loaded: ComponentType<Props> | null = null
  const preload = async () => {
    loaded ??= await load()
    return loaded
  }
  function View(props: Props) {
    const [Shown, setShown] = useState(() => loaded)
    const [failure, setFailure] = useState<{ thrown: unknown } | null>(null)
    useEffect(() => {
      if (Shown !== null) return
      let current = true
      preload().then(
        (view) => current && setShown(() => view),
        (thrown: unknown) => current && setFailure({ thrown }),
      )
      return () => {
        current = false
      }
    }, [Shown])
    // For the nearest error boundary.
    if (failure !== null) throw failure.thrown
    return Shown === null ? <Fallback {...props} /> : <Shown {...props} />
  }
  return { View, preload }
}

/** A part that is always there, but not needed for the first numbers: it is loaded after them. */
export function laterView<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Fallback: ComponentType<Props> = Nothing,
): LazyView<Props> {
  return lazyView(async () => {
    await firstNumbers
    return await load()
  }, Fallback)
}

// The window shows its first numbers before it loads what they do not need: menus, dialogs, the chart, the other views.

/** Longer than a frame. A hidden window paints none. */
const UNPAINTED_MS = 500

let release = () => {}

/** Resolves once the first numbers are painted. */
export const firstNumbers = new Promise<void>((resolve) => {
  release = resolve
})

/** Call it when the numbers have been rendered, or cannot be read. */
export function markFirstNumbers(): void {
  // After the frame, not before it.
  requestAnimationFrame(() => setTimeout(release))
  setTimeout(release, UNPAINTED_MS)
}
