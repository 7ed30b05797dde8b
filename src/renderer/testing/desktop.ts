import type { DesktopBridge, DesktopState } from '../../shared/desktop/desktop.ts'

export const desktopState: DesktopState = {
  version: '0.1.0',
  baseUrl: 'http://127.0.0.1:8655',
  port: 8655,
  listenError: null,
  suggestedPort: null,
  dataDir: '/home/user/.tollgate',
  launchAtLogin: false,
  handlesDeepLinks: true,
  platform: 'linux',
}

/** Makes the page the window of a desktop app that has these calls. */
export function installDesktop(desktop: Partial<DesktopBridge>): void {
  Object.assign(window, { desktop })
}

export function removeDesktop(): void {
  Object.assign(window, { desktop: undefined })
}
