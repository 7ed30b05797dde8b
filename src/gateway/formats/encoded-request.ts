/** A request as a provider is sent it. */
export interface EncodedRequest {
  /** Appended to the target's base URL. */
  path: string
  headers: Record<string, string>
  body: string
}
