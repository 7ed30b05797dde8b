import type { Command } from 'commander'
import { DataDirHeldError, lockDataDir } from '../../gateway/compose/host-api.ts'
import { createAdminKey, resetAdminKeys } from '../../gateway/compose/offline-api.ts'
import { chooseDataDir, prepareDataDir } from '../../host/data-dir.ts'
import { EXIT } from '../../host/exit-codes.ts'
import { readFlags } from '../../host/flags.ts'
import { createHostLog, type HostLog } from '../../host/log.ts'
import { refuseInRun } from '../run/run-key.ts'
import { reportFailure } from '../serve.ts'
import { addExamples, type DataDirOptions, dataDirOption, LOG_LEVEL } from './options.ts'

interface Options extends DataDirOptions {
  reset?: boolean
  logLevel?: string
}

export function define(command: Command): void {
  command
    .option('--reset', 'also revoke the admin keys that the first start and this command created')
    .addOption(dataDirOption())
    .option(...LOG_LEVEL)
    .action(async (options: Options) => {
      process.exitCode = await adminKey(options)
    })
  addExamples(
    command,
    ['tollgate admin-key', 'tollgate admin-key --reset'],
    `Creates a key with the scope "admin" and prints it once, as a line of JSON. Use it when you have lost every admin key.
Tollgate must not be running on that folder. With --reset, admin keys with another name than "Admin" stay valid, and
are listed.`,
  )
}

/**
 * Creates an admin key and prints it, for a user who lost them all. `reset`: also revokes those of the first start and of
 * this command. Needs no authentication besides write access to the data folder. Returns the exit code. Throws FlagError.
 */
async function adminKey({ reset, logLevel, ...options }: Options): Promise<number> {
  const flags = readFlags(logLevel === undefined ? [] : ['--log-level', logLevel])
  const dataDir = chooseDataDir(options.dataDir)
  const log = createHostLog()
  log.setLevel(flags.logLevel ?? 'info')
  try {
    refuseInRun()
    prepareDataDir(dataDir)
    const lock = lockDataDir(dataDir, { pid: process.pid, program: 'admin-key' })
    try {
      log.openFile(dataDir)
      const printed = reset ? await resetKeys(dataDir, log) : await createKey(dataDir, log)
      lock.noteLedger()
      process.stdout.write(`${JSON.stringify({ dataDir, ...printed })}\n`)
    } finally {
      lock.release()
    }
    return EXIT.done
  } catch (error) {
    // A running gateway has its keys in memory, and would not notice.
    if (error instanceof DataDirHeldError) error.message += ' Stop it, and run this command again.'
    return reportFailure(error)
  } finally {
    await log.close()
  }
}

async function createKey(dataDir: string, log: HostLog) {
  const { id, secret } = await createAdminKey(dataDir, log)
  log.info(`Created the admin key ${id} from the command line`)
  return { id, adminKey: secret }
}

async function resetKeys(dataDir: string, log: HostLog) {
  const { created, revoked, kept } = await resetAdminKeys(dataDir, log)
  log.info(`Created the admin key ${created.id} from the command line`)
  for (const { id } of revoked) log.info(`Revoked the admin key ${id} from the command line`)
  for (const { id, name } of kept) log.info(`The admin key ${id} (${name}) stays valid`)
  const named = (keys: typeof kept) => keys.map(({ id, name }) => ({ id, name }))
  return { id: created.id, adminKey: created.secret, revoked: named(revoked), kept: named(kept) }
}
