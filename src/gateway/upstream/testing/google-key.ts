import { createVerify, generateKeyPairSync } from 'node:crypto'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** The JSON file of a service account, as Google Cloud creates it; its tokens come from `tokenUrl`. */
export function serviceAccountFile(tokenUrl: string): string {
  const name = 'tollgate@my-project.iam.gserviceaccount.com'
  return JSON.stringify(
    {
      type: 'service_account',
      project_id: 'my-project',
      private_key_id: '0123456789abcdef0123456789abcdef01234567',
      private_key: pem,
      client_email: name,
      client_id: '123456789012345678901',
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      token_uri: tokenUrl,
      auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
      client_x509_cert_url: `https://www.googleapis.com/robot/v1/metadata/x509/${encodeURIComponent(name)}`,
      universe_domain: 'googleapis.com',
    },
    null,
    2,
  )
}

export const privateKeyLine = pem.split('\n')[1] ?? ''

/** The claims of the assertion that asks for a token; null for one that is not signed with the key. */
export function readAssertion(body: string): Record<string, unknown> | null {
  const [head = '', claims = '', signature = ''] = (new URLSearchParams(body).get('assertion') ?? '').split(
    '.',
  )
  const isValid = createVerify('RSA-SHA256')
    .update(`${head}.${claims}`)
    .verify(publicKey, Buffer.from(signature, 'base64url'))
  return isValid ? JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) : null
}
