// Owns `window.desktop`, made from the shared table. It is all of the desktop that a page can see.
import { contextBridge, ipcRenderer } from 'electron'
import { type DesktopCall, desktopCalls, desktopChannel } from '../shared/desktop.ts'

const names = Object.keys(desktopCalls).filter((name): name is DesktopCall => name in desktopCalls)

contextBridge.exposeInMainWorld(
  'desktop',
  Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => ask(name, args)])),
)

async function ask(call: DesktopCall, args: unknown[]): Promise<unknown> {
  const reply = await ipcRenderer.invoke(desktopChannel(call), ...args)
  if ('error' in reply) throw new Error(reply.error)
  return reply.value
}
