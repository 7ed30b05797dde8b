// What `tollgate serve` says to a person when it is ready.

export interface FirstSteps {
  baseUrl: string
  /** Only at the first start. */
  adminKey: string | null
  /** The folder that the user has chosen; undefined for the usual one. */
  dataDir: string | undefined
  /** Whether the first start creates an admin key. */
  makesAdminKey: boolean
}

interface Terminal {
  /** The value of SSH_CONNECTION: the person may sit at another computer. */
  ssh: string | undefined
}

/** For a terminal. It has the admin key, so it must not be written where it would be kept. */
export function describeFirstSteps(steps: FirstSteps, { ssh }: Terminal): string {
  const { baseUrl, adminKey } = steps
  const lines = [
    ['Open', baseUrl],
    ...(ssh
      ? [
          [
            '',
            `from your own computer after: ssh -N -L ${portOf(baseUrl)}:${hostOf(baseUrl)} ${serverOf(ssh)}`,
          ],
        ]
      : []),
    ['Sign in', adminKey === null ? `with an admin key. ${anotherKey(steps)}` : adminKey],
    ...(adminKey === null
      ? []
      : [
          ['', 'Keep this key: it is not shown again.'],
          ['Try', tryIt(baseUrl, adminKey)],
        ]),
    ['Stop', 'Ctrl-C'],
  ]
  const text = lines.map(([name = '', value]) => `  ${name.padEnd(9)}${value}`).join('\n')
  return `\nTollgate is ready.\n\n${text}\n\n`
}

/** For a log: without the key. */
export function describeSignIn(steps: FirstSteps): string {
  const key =
    steps.adminKey === null
      ? `an admin key. ${anotherKey(steps)}`
      : 'the admin key that was printed just now, which is not shown again'
  return `Open ${steps.baseUrl} in a browser and sign in with ${key}`
}

function anotherKey({ dataDir, makesAdminKey }: FirstSteps): string {
  const folder = dataDir === undefined ? '' : ` --data-dir ${JSON.stringify(dataDir)}`
  return makesAdminKey
    ? `Lost it? Stop Tollgate and run: tollgate admin-key --reset${folder}`
    : `Make one with: tollgate keys create Admin --scope admin${folder}`
}

function tryIt(baseUrl: string, key: string): string {
  const body = { model: 'sandbox-small', messages: [{ role: 'user', content: 'Hello' }] }
  return `curl ${baseUrl}/v1/chat/completions -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
}

const portOf = (baseUrl: string) => new URL(baseUrl).port
const hostOf = (baseUrl: string) => new URL(baseUrl).host
/** "client-ip client-port server-ip server-port" */
const serverOf = (ssh: string) => ssh.split(' ')[2] ?? 'this-computer'
