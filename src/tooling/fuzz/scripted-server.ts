// A provider that sends scripted bytes, valid HTTP or not.
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { listen } from '../../gateway/testing/listen.ts'
import type { Script } from './damaged-responses.ts'

export interface ScriptedServer {
  port: number
  close(): Promise<void>
}

/** `createScript` is called with the complete body of each request. */
export async function startScriptedServer(createScript: (body: string) => Script): Promise<ScriptedServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let unread = Buffer.alloc(0)
    socket.on('data', (part) => {
      unread = Buffer.concat([unread, part])
      for (;;) {
        const headEnd = unread.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        const length = Number(/content-length: (\d+)/i.exec(unread.toString('latin1', 0, headEnd))?.[1] ?? 0)
        const end = headEnd + 4 + length
        if (unread.length < end) return
        const body = unread.toString('utf8', headEnd + 4, end)
        unread = unread.subarray(end)
        play(createScript(body), socket)
      }
    })
  })
  const port = await listen(server)
  return {
    port,
    async close() {
      for (const socket of sockets) socket.destroy()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}

/** Sends each part in a separate iteration of the event loop, so that it is read separately. */
function play({ parts, end }: Script, socket: Socket, at = 0): void {
  if (socket.destroyed) return
  const part = parts[at]
  if (part !== undefined) {
    if (part.length > 0) socket.write(part)
    setImmediate(play, { parts, end }, socket, at + 1)
    return
  }
  if (end === 'close') socket.end()
  else if (end === 'reset') socket.resetAndDestroy()
}
