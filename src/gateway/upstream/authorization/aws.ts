import { hash } from 'node:crypto'
import { Sha256 } from '@aws-crypto/sha256-js'
import { SignatureV4 } from '@smithy/signature-v4'
import { errorMessage } from '../../../shared/values/text.ts'
import { type AwsCredentials, type ExpiringValue, parseAccessKey } from '../expiring-cache.ts'
import { type AuthorizationMethod, inTime, rejectedCredential, type UnauthorizedRequest } from './method.ts'

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

export const awsLogin: AuthorizationMethod = async (request, _credential, { tokenCaches }) =>
  signAws(request, await tokenCaches.aws.get('', findLogin))

/** The login that AWS's tools use: environment variables, profiles, single sign-on, or the role of this machine. */
async function findLogin(): Promise<ExpiringValue<AwsCredentials>> {
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

// AWS Signature Version 4. Source: AWS's IAM user guide, "Authenticating requests".

/** The name under which Amazon Bedrock checks signatures, for models and for the list of models. */
const SERVICE = 'bedrock'
/** The region for an address that names none, such as the user's own proxy. */
const DEFAULT_REGION = 'us-east-1'

/** The region in a host name such as `bedrock-runtime.eu-central-1.amazonaws.com`. */
function findRegion(url: string): string {
  return /\.([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(new URL(url).hostname)?.[1] ?? DEFAULT_REGION
}

/** The headers that carry the signature. Signed are the method, path, query, body, host and content type. */
export async function signAws(
  { method, url, headers, body }: UnauthorizedRequest,
  credentials: AwsCredentials,
  signingDate = new Date(),
): Promise<Record<string, string>> {
  const { protocol, hostname, host, port, pathname, searchParams } = new URL(url)
  const type = headers['content-type']
  const signedHeaders = { host, ...(type !== undefined && { 'content-type': type }) }
  // Node's own hash: that of the package takes most of a second for the largest bodies.
  const bodyHash = hash('sha256', body ?? '')
  const signer = new SignatureV4({ credentials, region: findRegion(url), service: SERVICE, sha256: Sha256 })
  const signed = await signer.sign(
    {
      method,
      protocol,
      hostname,
      ...(port !== '' && { port: Number(port) }),
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { ...signedHeaders, 'x-amz-content-sha256': bodyHash },
      body: body ?? '',
    },
    { signingDate },
  )
  return Object.fromEntries(Object.entries(signed.headers).filter(([name]) => !(name in signedHeaders)))
}
