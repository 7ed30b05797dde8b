/** A request as a provider is sent it. */
export interface EncodedRequest {
  /** Appended to the target's base URL, unless it is a whole URL. */
  path: string
  headers: Record<string, string>
  body: string
  /** Sent instead of `body` if the request is not text. */
  bytes?: Buffer
}
