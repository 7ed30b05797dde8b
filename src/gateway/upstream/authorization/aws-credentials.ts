export interface AwsCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

/** Reads `ACCESS_KEY_ID:SECRET_ACCESS_KEY` or `ACCESS_KEY_ID:SECRET_ACCESS_KEY:SESSION_TOKEN`; null for anything else. */
export function parseAccessKey(text: string): AwsCredentials | null {
  const match = /^([A-Z0-9]{16,128}):([A-Za-z0-9/+=]{16,128})(?::([A-Za-z0-9/+=_-]{16,}))?$/.exec(text)
  if (!match?.[1] || !match[2]) return null
  const [, accessKeyId, secretAccessKey, sessionToken] = match
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}
