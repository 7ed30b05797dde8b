// The configurations of resources/deploy, with the ports and the folder of a test.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../commands.ts'
import { deployDir } from './dashboard.ts'

interface Ports {
  proxy: number
  /** One, or two. */
  gateways: readonly number[]
}

export interface ProxyProgram {
  name: string
  /** Writes its configuration into the folder, which must exist, and returns the command that runs it until a SIGTERM. */
  prepare(folder: string, ports: Ports): readonly [program: string, ...args: string[]]
}

const fixtures = join(root, 'src/gateway/upstream/fixtures')
const CERTIFICATE = 'tollgate.pem'
/** Enough for 1,000 streams on both sides, and less than the limit of open files where tests run. */
const CONNECTIONS = 4_000

export const proxies: readonly ProxyProgram[] = [
  {
    name: 'HAProxy',
    prepare(folder, ports) {
      const path = join(folder, 'haproxy.cfg')
      const config = configuration('haproxy.cfg', folder, ports)
        .replace(':443', `127.0.0.1:${ports.proxy}`)
        .replace('maxconn 9000', `maxconn ${CONNECTIONS}`)
      writeFileSync(path, config)
      return ['haproxy', '-db', '-f', path]
    },
  },
  {
    name: 'nginx',
    prepare(folder, ports) {
      const path = join(folder, 'nginx.conf')
      const config = configuration('nginx.conf', folder, ports).replace(
        'listen 443',
        `listen 127.0.0.1:${ports.proxy}`,
      )
      const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      )
      const main = [
        ...['daemon off;', `pid ${folder}/nginx.pid;`, `error_log ${folder}/error.log;`],
        ...['worker_processes auto;', `worker_rlimit_nofile ${CONNECTIONS * 2};`],
        `events { worker_connections ${CONNECTIONS}; }`,
        `http {\naccess_log off; ${own.join(' ')}\n${config}\n}`,
      ]
      writeFileSync(path, `${main.join('\n')}\n`)
      return ['nginx', '-c', path, '-p', folder]
    },
  },
]

/** A file of the deployment, in front of these gateways, with the certificate for tests, which is signed by itself. */
function configuration(name: string, folder: string, { gateways: [one, two] }: Ports): string {
  const pem = ['self-signed-cert.pem', 'self-signed-key.pem']
  writeFileSync(
    join(folder, CERTIFICATE),
    pem.map((each) => readFileSync(join(fixtures, each), 'utf8')).join('\n'),
  )
  const lines = readFileSync(join(deployDir, name), 'utf8')
    .replaceAll(/\/etc\/\w+\/tollgate\.pem/g, join(folder, CERTIFICATE))
    .replace(' 127.0.0.1:8655', ` 127.0.0.1:${one}`)
    .split('\n')
  const isSecond = (line: string) => line.includes(' 127.0.0.1:8656')
  return lines
    .filter((line) => two !== undefined || !isSecond(line))
    .map((line) => line.replace(' 127.0.0.1:8656', ` 127.0.0.1:${two}`))
    .join('\n')
}
