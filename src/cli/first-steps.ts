// The message of `tollgate serve` to a person when it is ready.

export interface FirstSteps {
  baseUrl: string
  /** Only at the first start. */
  adminKey: string | null
  /** The folder that the user has chosen; undefined for the usual one. */
  dataDir: string | undefined
  /** Whether the first start creates an admin key. */
  makesAdminKey: boolean
  /** How the command is called: in a copy of the repository, it is not on the PATH. */
  command: 'tollgate' | 'npx tollgate'
}

interface Terminal {
  /** The value of SSH_CONNECTION: the person may sit at another computer. */
  ssh: string | undefined
}

/** The text for a terminal. It has the admin key, so it must not be written where it would be kept. */
export function describeFirstSteps(steps: FirstSteps, { ssh }: Terminal): string {
  const { baseUrl, adminKey } = steps
  const lines = [
    ['Open', baseUrl],
    ...(ssh
      ? [
          [
            '',
            `from your own computer after: ssh -N -L ${getPort(baseUrl)}:${getHost(baseUrl)} ${getServer(ssh)}`,
          ],
        ]
      : []),
    ['Sign in', adminKey === null ? `with an admin key. ${anotherKey(steps)}` : adminKey],
    ...(adminKey === null
      ? []
      : [
          ['', 'Keep this key: it is not shown again.'],
          ['Try', tryIt(steps)],
        ]),
    ['Stop', 'Ctrl-C'],
  ]
  const text = lines.map(([name = '', value]) => `  ${name.padEnd(9)}${value}`).join('\n')
  return `\nTollgate is ready.\n\n${text}\n\n`
}

/** The text for a log, without the key. */
export function describeSignIn(steps: FirstSteps): string {
  const key =
    steps.adminKey === null
      ? `an admin key. ${anotherKey(steps)}`
      : 'the admin key that was printed just now, which is not shown again'
  return `Open ${steps.baseUrl} in a browser and sign in with ${key}`
}

function anotherKey({ command, dataDir, makesAdminKey }: FirstSteps): string {
  const folder = folderOption(dataDir)
  return makesAdminKey
    ? `Lost it? Stop Tollgate and run: ${command} admin-key --reset${folder}`
    : `Make one with: ${command} keys create Admin --scope admin${folder}`
}

/**
 * The command to try it, with a new key: an admin key would stay in the history of the shell, and others could see it while
 * curl runs.
 */
function tryIt({ command, dataDir }: FirstSteps): string {
  const body = { model: 'sandbox-small', messages: [{ role: 'user', content: 'Hello' }] }
  const data = JSON.stringify(body).replaceAll('"', '\\"')
  const headers = '-H "Authorization: Bearer $OPENAI_API_KEY" -H "Content-Type: application/json"'
  return `${command} run --cap 1${folderOption(dataDir)} -- sh -c 'curl "$OPENAI_BASE_URL/chat/completions" ${headers} -d "${data}"'`
}

function folderOption(dataDir: string | undefined): string {
  return dataDir === undefined ? '' : ` --data-dir ${JSON.stringify(dataDir)}`
}

const getPort = (baseUrl: string) => new URL(baseUrl).port
const getHost = (baseUrl: string) => new URL(baseUrl).host
/** "client-ip client-port server-ip server-port" */
const getServer = (ssh: string) => ssh.split(' ')[2] ?? 'this-computer'
