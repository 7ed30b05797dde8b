// Owns `window.desktop`, made from the shared table. It is all of the desktop that a page can see.
import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import { type DesktopCall, desktopCalls, desktopChannel, NAVIGATE_CHANNEL } from '../shared/desktop.ts'

const names = Object.keys(desktopCalls).filter((name): name is DesktopCall => name in desktopCalls)

contextBridge.exposeInMainWorld('desktop', {
  ...Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => ask(name, args)])),
  onNavigate,
})

async function ask(call: DesktopCall, args: unknown[]): Promise<unknown> {
  const reply = await ipcRenderer.invoke(desktopChannel(call), ...args)
  if ('error' in reply) throw new Error(reply.error)
  return reply.value
}

// The page gets the address alone: an event of Electron's would hand it the channel.
function onNavigate(listener: (href: string) => void): () => void {
  const heard = (_event: IpcRendererEvent, href: unknown) => {
    if (typeof href === 'string') listener(href)
  }
  ipcRenderer.on(NAVIGATE_CHANNEL, heard)
  return () => ipcRenderer.off(NAVIGATE_CHANNEL, heard)
}
