type Headers = Readonly<Record<string, string>>

/** The response to one client, as a request writes it: either one complete answer, or a stream of server-sent events. */
export interface ClientStream {
  /** Whether the client has left before the answer is complete. */
  readonly disconnected: boolean
  /** Calls the listener, the only one, when the client leaves before the answer is complete; at once if it has left. */
  onDisconnect(listener: () => void): void
  /** Everything a stream has sent so far; null when that is not recorded. */
  readonly recorded: Buffer | null
  /** Sends a complete answer. */
  send(status: number, headers: Headers, body: string | Buffer): void
  /**
   * Starts a stream. `trailers`: names of the trailers that its end will send. `keepAlive`: what is sent while nothing else is;
   * by default a comment of server-sent events, and nothing if it is null.
   */
  begin(headers: Headers, trailers: readonly string[], keepAlive?: string | null): void
  /** Resolves when the client can take more, or when `aborted` aborts; never rejects. */
  write(data: string | Buffer, aborted: AbortSignal): Promise<void>
  /** Sends the last text and the trailers. */
  end(last: string, trailers: Headers): void
  /** Ends a failed stream: sends the last text and the trailers, then closes the connection. */
  endAndClose(last: string, trailers: Headers): void
  /** Closes the connection in the middle of the answer, so that the client sees that the answer is not complete. */
  abort(): void
}
