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
