// Owns how the window's calls reach the desktop: one loop over the shared table, every sender checked, arguments and
// results parsed. What a call does is its answer's business.
import { ipcMain } from 'electron'
import type { z } from 'zod'
import { type DesktopCall, desktopCalls, desktopChannel } from '../shared/desktop.ts'
import { isOurs } from './addresses.ts'

/** Takes unparsed arguments, gives a parsed result. */
type DesktopHandler = (args: unknown[]) => Promise<unknown>
export type DesktopHandlers = Record<DesktopCall, DesktopHandler>

/** What goes back through the channel: Electron would wrap a thrown error's message in its own words. */
type Reply = { value: unknown } | { error: string }

/** Wraps `work` in the parsing of a call's arguments and result. */
export function answer<A extends unknown[], R>(
  call: { args: z.ZodType<A>; result: z.ZodType<R> },
  work: (...args: A) => R | Promise<R>,
): DesktopHandler {
  return async (args) => call.result.parse(await work(...call.args.parse(args)))
}

/** Answers every call of the table. */
export function registerDesktopCalls(answers: DesktopHandlers): void {
  for (const call of Object.keys(desktopCalls).filter(isDesktopCall)) {
    ipcMain.handle(desktopChannel(call), async (event, ...args): Promise<Reply> => {
      const frame = event.senderFrame
      if (frame === null || frame.parent !== null || !isOurs(frame.url)) {
        return { error: 'Only Tollgate’s own window may ask this.' }
      }
      try {
        return { value: await answers[call](args) }
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) }
      }
    })
  }
}

function isDesktopCall(name: string): name is DesktopCall {
  return Object.hasOwn(desktopCalls, name)
}
