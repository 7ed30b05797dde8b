// The smallest client of the local socket. Node's HTTP client takes longer to load than all else that a prompt needs.
import { connect } from 'node:net'

/**
 * Reads JSON over HTTP/1.0, in which the end of the connection ends the response. Rejects unless its status is 200. The program
 * and the gateway are of the same version: a schema would take longer to load than all else.
 */
export function readLocally<T>(socketPath: string, path: string): Promise<T> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(socketPath)
    socket.setEncoding('utf8')
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('end', () => {
      const head = received.indexOf('\r\n\r\n')
      if (/^HTTP\/1\.\d 200 /.test(received)) resolve(JSON.parse(received.slice(head + 4)))
      else reject(new Error(received.slice(0, Math.max(0, head))))
    })
    socket.write(`GET ${path} HTTP/1.0\r\nhost: localhost\r\nconnection: close\r\n\r\n`)
  })
}
