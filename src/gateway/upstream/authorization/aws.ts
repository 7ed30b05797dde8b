import { errorMessage } from '../../../shared/error-message.ts'
import { type AwsCredentials, parseAccessKey } from './aws-credentials.ts'
import { signAws } from './aws-signature.ts'
import type { Expiring } from './expiring-cache.ts'
import { type AuthorizationMethod, inTime, rejectedCredential } from './method.ts'

/** A login without an end is looked up again after this time, because the user may have changed it. */
const LOOK_AGAIN_MS = 600_000

export const accessKey: AuthorizationMethod = (request, credential) => {
  const credentials = parseAccessKey(credential ?? '')
  if (!credentials) {
    throw rejectedCredential(
      'The credential is not an AWS access key: it must be ACCESS_KEY_ID:SECRET_ACCESS_KEY, or with :SESSION_TOKEN.',
    )
  }
  return signAws(request, credentials)
}

export const awsLogin: AuthorizationMethod = async (request, _credential, { logins }) =>
  signAws(request, await logins.aws.get('', findLogin))

/** The login that AWS's tools use: environment variables, profiles, single sign-on, or the role of this machine. */
async function findLogin(): Promise<Expiring<AwsCredentials>> {
  // Loaded on demand: most users never need it.
  const { defaultProvider } = await import('@aws-sdk/credential-provider-node')
  try {
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await inTime(defaultProvider()())
    return {
      value: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
      expiresAt: expiration?.getTime() ?? Date.now() + LOOK_AGAIN_MS,
    }
  } catch (error) {
    throw rejectedCredential(
      `The AWS login of this machine cannot be used: ${errorMessage(error)} Sign in with "aws configure" or "aws sso login".`,
    )
  }
}
