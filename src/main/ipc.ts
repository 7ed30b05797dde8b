import { ipcMain } from 'electron'
import type { z } from 'zod'
import { DESKTOP_CALLS, type DesktopCall, desktopChannel } from '../shared/desktop/desktop-calls.ts'
import { errorMessage } from '../shared/values/text.ts'
import { isAppUrl } from './addresses.ts'

/** Takes unparsed arguments and returns a parsed result. */
type DesktopHandler = (args: unknown[]) => Promise<unknown>
export type DesktopHandlers = Record<DesktopCall, DesktopHandler>

/** The response on the channel. Electron would add its own text to the message of a thrown error. */
type Reply = { value: unknown } | { error: string }

/** A handler that parses a call's arguments and result. */
export function handler<A extends unknown[], R>(
  call: { args: z.ZodType<A>; result: z.ZodType<R> },
  work: (...args: A) => R | Promise<R>,
): DesktopHandler {
  return async (args) => call.result.parse(await work(...call.args.parse(args)))
}

/** Registers the handlers of the IPC table; calls wait for them. Only the main frame of the app's own window may call them. */
export function registerDesktopCalls(starting: Promise<DesktopHandlers>): void {
  // The caller reports the failure of a start.
  starting.catch(() => {})
  for (const call of DESKTOP_CALLS) {
    ipcMain.handle(desktopChannel(call), async (event, ...args): Promise<Reply> => {
      const frame = event.senderFrame
      if (frame === null || frame.parent !== null || !isAppUrl(frame.url)) {
        return { error: 'Only Tollgate’s own window may call this.' }
      }
      try {
        const handlers = await starting
        return { value: await handlers[call](args) }
      } catch (error) {
        return { error: errorMessage(error) }
      }
    })
  }
}
