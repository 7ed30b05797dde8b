import type { DesktopBridge } from '../../shared/desktop/desktop.ts'

declare global {
  interface Window {
    /** Only in the Electron window. */
    readonly desktop?: DesktopBridge
  }
}
