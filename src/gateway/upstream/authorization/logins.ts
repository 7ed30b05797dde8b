import type { AwsCredentials } from './aws-credentials.ts'
import { ExpiringCache } from './expiring-cache.ts'

/** What was fetched to authorize requests, until it expires. */
export class Logins {
  /** Google's access tokens, by a hash of the credential. */
  readonly google = new ExpiringCache<string>()
  readonly aws = new ExpiringCache<AwsCredentials>()
}
