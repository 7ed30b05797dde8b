/**
 * Access tokens of Microsoft Entra ID for Azure. Source: Microsoft's documentation, "OAuth 2.0 client credentials flow", "Use managed
 * identities on a virtual machine" and "How to use managed identities for App Service". The calls are few, and so are made here:
 * `@azure/identity` has connections of its own, which know neither the proxy nor the certificates of this gateway.
 */
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, posix, win32 } from 'node:path'
import type { Network } from '../../../shared/api/account.ts'
import { locateHost } from '../../../shared/values/hosts.ts'
import { isObject, parseJson } from '../../formats/json/json.ts'
import type { UpstreamPool } from '../connection-pool.ts'
import { type EntraSecret, type ExpiringValue, parseEntraSecret } from '../expiring-cache.ts'
import { toUpstreamFailure } from '../network-failure.ts'
import { readText, sendRequest } from '../upstream-response.ts'
import { Watchdog } from '../watchdog.ts'
import {
  type AuthorizationMethod,
  LOGIN_TIMEOUT_MS,
  rejectedCredential,
  unavailableCredential,
} from './method.ts'

export const entraSecret: AuthorizationMethod = async ({ url, network }, credential, pool) => {
  const secret = parseEntraSecret(credential ?? '')
  if (!secret)
    throw rejectedCredential(
      'The credential is not a client secret of Entra ID: TENANT_ID:CLIENT_ID:CLIENT_SECRET.',
    )
  const audience = findAudience(url)
  const key = `${hash('sha256', credential ?? '')} ${audience.resource}`
  const fetch = () => requestBySecret(secret, { audience, pool, network: network ?? null })
  return toHeaders(await pool.tokenCaches.azure.get(key, fetch))
}

export const azureLogin: AuthorizationMethod = async ({ url, network }, _credential, pool) => {
  // The login may do more than call models, so its token is sent to Azure alone.
  const audience = findAudience(url)
  const fetch = () => requestByLogin({ audience, pool, network: network ?? null })
  return toHeaders(await pool.tokenCaches.azure.get(`login ${audience.resource}`, fetch))
}

function toHeaders(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

/** The service that a token is valid for, and the origin that issues it. */
interface Audience {
  resource: string
  authority: string
}

/** Microsoft's clouds, by the end of their host names. */
const CLOUDS = [
  { domain: '.azure.com', suffix: 'azure.com', authority: 'https://login.microsoftonline.com' },
  { domain: '.cognitive.microsoft.com', suffix: 'azure.com', authority: 'https://login.microsoftonline.com' },
  { domain: '.azure.us', suffix: 'azure.us', authority: 'https://login.microsoftonline.us' },
  { domain: '.azure.cn', suffix: 'azure.cn', authority: 'https://login.chinacloudapi.cn' },
] as const

/** Projects and resources of Azure AI Foundry have an audience of their own. */
const FOUNDRY = '.services.ai.'

/** Throws UpstreamFailure for an address that is not Azure's. */
function findAudience(url: string): Audience {
  const { hostname } = new URL(url)
  const cloud =
    CLOUDS.find(({ domain }) => hostname.endsWith(domain)) ??
    (locateHost(hostname) === 'loopback' ? CLOUDS[0] : undefined)
  if (!cloud)
    throw rejectedCredential(
      'Tokens of Entra ID are only sent to addresses of Azure, such as https://RESOURCE.openai.azure.com/openai/v1. Use an API key for others.',
    )
  const service = hostname.includes(FOUNDRY) ? 'ai' : 'cognitiveservices'
  return { resource: `https://${service}.${cloud.suffix}`, authority: findAuthority() ?? cloud.authority }
}

/** The variable of Azure's own libraries, for a cloud that is not in the table. */
function findAuthority(): string | null {
  const host = process.env.AZURE_AUTHORITY_HOST?.replace(/\/$/, '')
  if (!host || !URL.canParse(host)) return null
  const { protocol, hostname } = new URL(host)
  return protocol === 'https:' || locateHost(hostname) === 'loopback' ? host : null
}

interface TokenSource {
  audience: Audience
  pool: UpstreamPool
  network: Network | null
}

type Token = ExpiringValue<string>

function requestBySecret({ tenant, client, secret }: EntraSecret, source: TokenSource): Promise<Token> {
  return requestFromTenant({ tenant, client }, { client_secret: secret }, source)
}

async function requestFromTenant(
  { tenant, client }: Pick<EntraSecret, 'tenant' | 'client'>,
  proof: Record<string, string>,
  { audience, pool, network }: TokenSource,
): Promise<Token> {
  const { authority, resource } = audience
  const form = {
    grant_type: 'client_credentials',
    client_id: client,
    scope: `${resource}/.default`,
    ...proof,
  }
  const { status, body } = await call(
    {
      method: 'POST',
      url: `${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
    },
    { pool, network },
  )
  const token = readToken(body)
  if (status === 200 && token) return token
  throw status >= 500 || status === 429
    ? unavailableCredential(`Entra ID answered with status ${status}. Try again later.`)
    : rejectedCredential(
        `Entra ID issued no token for the application ${client} in the tenant ${tenant} (${describe(body, status)}). Check the tenant, the application and its secret under "App registrations" of the Entra admin center.`,
      )
}

/** Asks what this computer is signed in with: the first of these that is set up. */
async function requestByLogin(source: TokenSource): Promise<Token> {
  const { AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: client, AZURE_CLIENT_SECRET: secret } = process.env
  const {
    AZURE_FEDERATED_TOKEN_FILE: file,
    IDENTITY_ENDPOINT: endpoint,
    IDENTITY_HEADER: header,
  } = process.env
  if (tenant && client && secret) return await requestBySecret({ tenant, client, secret }, source)
  if (tenant && client && file) return await requestByFile({ tenant, client }, file, source)
  if (endpoint && header) return await requestFromAppService(endpoint, header, source)
  try {
    return await runAz(source.audience)
  } catch (azFailure) {
    const token = await requestFromMachine(source).catch(() => null)
    if (token) return token
    throw azFailure
  }
}

/** The file changes during the life of a workload, so it is read for every token. */
async function requestByFile(
  application: Pick<EntraSecret, 'tenant' | 'client'>,
  file: string,
  source: TokenSource,
): Promise<Token> {
  const assertion = await readFile(file, 'utf8').catch(() => {
    throw rejectedCredential('The file that AZURE_FEDERATED_TOKEN_FILE names cannot be read.')
  })
  const proof = {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion.trim(),
  }
  return await requestFromTenant(application, proof, source)
}

/** Managed identities are answered on this machine, never through a proxy. */
const NEARBY = 'direct'

function requestFromAppService(endpoint: string, header: string, source: TokenSource): Promise<Token> {
  const address = `${endpoint}?api-version=2019-08-01`
  return requestIdentity(address, { 'x-identity-header': header }, source, LOGIN_TIMEOUT_MS)
}

const METADATA_SERVICE = 'http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01'
/** On a computer without a metadata service, nothing answers at its address. */
const PROBE_MS = 1_000

function requestFromMachine(source: TokenSource): Promise<Token> {
  return requestIdentity(METADATA_SERVICE, { metadata: 'true' }, source, PROBE_MS)
}

async function requestIdentity(
  address: string,
  headers: Record<string, string>,
  { audience, pool }: TokenSource,
  connectTimeoutMs: number,
): Promise<Token> {
  const client = process.env.AZURE_CLIENT_ID
  const chosen = client ? `&client_id=${encodeURIComponent(client)}` : ''
  const url = `${address}&resource=${encodeURIComponent(audience.resource)}${chosen}`
  const request = { method: 'GET' as const, url, headers, body: null }
  const { status, body } = await call(request, { pool, network: NEARBY, connectTimeoutMs })
  const token = readToken(body)
  if (status === 200 && token) return token
  throw status === 400 || status === 403
    ? rejectedCredential(
        `The managed identity of this machine issued no token (${describe(body, status)}). Assign an identity to the machine, and set AZURE_CLIENT_ID if it has several.`,
      )
    : unavailableCredential(
        `The managed identity of this machine answered with status ${status}. Try again later.`,
      )
}

interface Sending {
  pool: UpstreamPool
  network: Network | null
  connectTimeoutMs?: number
}

const CONNECT_TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 1024 * 1024

/** Over the gateway's own connections: TLS is checked, redirects are not followed. Throws UpstreamFailure if nothing answers. */
async function call(
  request: { method: 'GET' | 'POST'; url: string; headers: Record<string, string>; body: string | null },
  { pool, network, connectTimeoutMs = CONNECT_TIMEOUT_MS }: Sending,
): Promise<{ status: number; body: unknown }> {
  const watchdog = new Watchdog(new AbortController().signal, LOGIN_TIMEOUT_MS)
  try {
    const response = await sendRequest({ ...request, connectTimeoutMs, network }, pool, watchdog)
    return { status: response.status, body: parseJson(await readText(response, MAX_ANSWER_BYTES, watchdog)) }
  } catch (error) {
    const { message } = toUpstreamFailure(error, watchdog)
    throw unavailableCredential(`Entra ID could not be asked for a token: ${message}`)
  } finally {
    watchdog.dispose()
  }
}

/** `expires_in` is in seconds from now, `expires_on` in seconds since the epoch; both may be texts. Null for anything else. */
function readToken(body: unknown): Token | null {
  if (!isObject(body)) return null
  const value = body.access_token ?? body.accessToken
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) return null
  const onS = Number(body.expires_on)
  const inS = Number(body.expires_in)
  if (onS > 0) return { value, expiresAt: onS * 1000 }
  return inS > 0 ? { value, expiresAt: Date.now() + inS * 1000 } : readLocalEnd(value, body.expiresOn)
}

/** Versions of az before 2.54 write the end in local time alone. */
function readLocalEnd(value: string, expiresOn: unknown): Token | null {
  const expiresAt = typeof expiresOn === 'string' ? Date.parse(expiresOn) : Number.NaN
  return Number.isNaN(expiresAt) ? null : { value, expiresAt }
}

/** Entra's own words, such as `AADSTS7000215: Invalid client secret provided`, without the trace that follows them. */
function describe(body: unknown, status: number): string {
  const texts = isObject(body) ? [body.error_description, body.error] : []
  const text = texts.find((candidate) => typeof candidate === 'string' && candidate !== '')
  if (typeof text !== 'string') return `status ${status}`
  return shorten(text.split(/\r?\n|Trace ID:/)[0] ?? '')
}

function shorten(text: string): string {
  return text.trim().slice(0, 300).replace(/\.$/, '')
}

const SIGN_IN =
  'Sign in with "az login", or with "az login --tenant TENANT" if the resource is in another tenant than your default.'

/** Asks the Azure CLI. It is started by its full path in a folder of the system, so that no program in a project is run in its place. */
async function runAz({ resource }: Audience): Promise<Token> {
  const az = findAz()
  if (!az)
    throw rejectedCredential(
      'No login of Azure was found on this computer: neither the Azure CLI, nor a managed identity, nor AZURE_… variables. Install the Azure CLI and run "az login".',
    )
  const [program, ...first] = az
  const args = [...first, 'account', 'get-access-token', '--output', 'json', '--resource', resource]
  const { stdout, stderr, timedOut } = await run(program, args)
  const token = readToken(parseJson(stdout))
  if (token) return token
  if (timedOut) throw unavailableCredential('The Azure CLI did not answer in time. Try "az account show".')
  const said = stderr.split(/\r?\n/).find((line) => /^ERROR|AADSTS/.test(line)) ?? ''
  const detail = shorten(said.replace(/^ERROR:\s*/, ''))
  throw rejectedCredential(`The Azure CLI issued no token${detail === '' ? '' : ` (${detail})`}. ${SIGN_IN}`)
}

function run(
  program: string,
  args: readonly string[],
): Promise<{ stdout: string; stderr: string; timedOut: boolean }> {
  const cwd = process.platform === 'win32' ? (process.env.SystemRoot ?? 'C:\\Windows') : '/bin'
  const options = { cwd, timeout: LOGIN_TIMEOUT_MS, maxBuffer: MAX_ANSWER_BYTES, windowsHide: true }
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ stdout, stderr, timedOut: error?.killed === true })
    })
  })
}

/** Where installers put the command, as the PATH of an app that is started by a click may lack it. */
const USUAL_FOLDERS = ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin']

/** The command and its first arguments; null if it is not installed. Only absolute folders of the PATH count. */
function findAz(): readonly [string, ...string[]] | null {
  if (process.platform === 'win32') {
    const folders = (process.env.Path ?? process.env.PATH ?? '').split(win32.delimiter)
    const folder = folders.filter(win32.isAbsolute).find((path) => isProgram(join(path, 'az.cmd')))
    // A .cmd file needs a shell. This one starts the Python next to it, which does not.
    return folder === undefined ? null : [join(folder, '..', 'python.exe'), '-IBm', 'azure.cli']
  }
  const folders = [...(process.env.PATH ?? '').split(posix.delimiter), ...USUAL_FOLDERS]
  const folder = folders.filter(posix.isAbsolute).find((path) => isProgram(join(path, 'az')))
  return folder === undefined ? null : [join(folder, 'az')]
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
