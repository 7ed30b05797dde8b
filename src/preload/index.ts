// Exposes `window.desktop`. Pages have no other access to Electron.
import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import {
  DESKTOP_CALLS,
  type DesktopCall,
  desktopChannel,
  LOCALE_SWITCH,
  NAVIGATE_CHANNEL,
  UPDATES_CHANNEL,
} from '../shared/desktop/desktop-calls.ts'

contextBridge.exposeInMainWorld('desktop', {
  ...Object.fromEntries(DESKTOP_CALLS.map((name) => [name, (...args: unknown[]) => invoke(name, args)])),
  locale: process.argv.find((arg) => arg.startsWith(LOCALE_SWITCH))?.slice(LOCALE_SWITCH.length),
  onNavigate: (listener: (href: unknown) => void) => subscribe(NAVIGATE_CHANNEL, listener),
  onUpdates: (listener: (state: unknown) => void) => subscribe(UPDATES_CHANNEL, listener),
})

async function invoke(call: DesktopCall, args: unknown[]): Promise<unknown> {
  const reply = await ipcRenderer.invoke(desktopChannel(call), ...args)
  if ('error' in reply) throw new Error(reply.error)
  return reply.value
}

// The page must not get the event object, whose `sender` would give it access to IPC.
function subscribe(channel: string, listener: (value: unknown) => void): () => void {
  const onMessage = (_event: IpcRendererEvent, value: unknown) => listener(value)
  ipcRenderer.on(channel, onMessage)
  return () => ipcRenderer.off(channel, onMessage)
}
