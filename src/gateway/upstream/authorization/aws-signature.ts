// AWS Signature Version 4. Source: AWS's IAM user guide, "Authenticating requests".
import { createHash } from 'node:crypto'
import { Sha256 } from '@aws-crypto/sha256-js'
import { SignatureV4 } from '@smithy/signature-v4'
import type { AwsCredentials } from './aws-credentials.ts'
import type { UnauthorizedRequest } from './method.ts'

/** The name under which Amazon Bedrock checks signatures, for models and for the list of models. */
const SERVICE = 'bedrock'
/** For an address that names no region, such as a proxy of the user's own. */
const DEFAULT_REGION = 'us-east-1'

/** The region in a host name such as `bedrock-runtime.eu-central-1.amazonaws.com`. */
function regionOf(url: string): string {
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
  const given = { host, ...(type !== undefined && { 'content-type': type }) }
  // Node's own hash: that of the package takes most of a second for the largest bodies.
  const bodyHash = createHash('sha256')
    .update(body ?? '')
    .digest('hex')
  const signer = new SignatureV4({ credentials, region: regionOf(url), service: SERVICE, sha256: Sha256 })
  const signed = await signer.sign(
    {
      method,
      protocol,
      hostname,
      ...(port !== '' && { port: Number(port) }),
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { ...given, 'x-amz-content-sha256': bodyHash },
      body: body ?? '',
    },
    { signingDate },
  )
  return Object.fromEntries(Object.entries(signed.headers).filter(([name]) => !(name in given)))
}
