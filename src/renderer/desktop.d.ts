// Owns the type of what the desktop's preload puts on the window. What it can do is `src/shared/desktop.ts`.
import type { DesktopBridge } from '../shared/desktop.ts'

declare global {
  interface Window {
    /** Only in the Electron window. */
    readonly desktop?: DesktopBridge
  }
}
