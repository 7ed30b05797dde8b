// Owns what the words after `tollgate` mean. Knows nothing of gateways.
import { adminKey } from './admin-key.ts'
import { outliveReaders } from './crash-handlers.ts'
import { appVersion } from './files.ts'
import { FlagError, readFlags } from './flags.ts'
import { EXIT, serve } from './serve.ts'

const HELP = `Tollgate: a private, metered gateway on your own machine to every language model you use.

Usage: tollgate serve [--port N] [--data-dir D] [--credentials keychain|memory|env]
       tollgate admin-key [--data-dir D]

  --port N         port on 127.0.0.1 and ::1 (default: the one chosen in the settings, else 8655; 0: any free one)
  --data-dir D     folder for the ledger and settings (default: TOLLGATE_DATA_DIR, else your app folder)
  --credentials K  where provider credentials are kept: the system's keychain (default), memory (gone at exit),
                   or env (read from TOLLGATE_CREDENTIAL_<PROVIDER> or <PROVIDER>_API_KEY)

  tollgate admin-key   makes a new key with the scope "admin" and prints it once, in a line of JSON. For when no admin
                       key is left. Tollgate must not be running on that folder.

  tollgate --help      this text
  tollgate --version   the version

When it is ready, serve prints one line of JSON on stdout: baseUrl, dataDir, version, and on the first start of an
empty data folder adminKey, shown this once. Logs go to stderr. SIGTERM and SIGINT settle what runs, then exit.

Exit codes: 0 done, 1 failure, 2 bad usage, 3 data folder unusable or held by another process, 4 port taken,
5 Node.js too old.
`

/** Runs one command line (without `node` and the script) and gives the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  outliveReaders()
  const [command, ...rest] = args
  if (args.includes('--help') || args.includes('-h') || command === 'help') {
    process.stdout.write(HELP)
    return EXIT.done
  }
  if (command === '--version' || command === '-v') {
    process.stdout.write(`${appVersion()}\n`)
    return EXIT.done
  }
  try {
    switch (command) {
      case 'serve':
        return await serve(readFlags(rest))
      case 'admin-key':
        return await adminKey(readFlags(rest))
      case undefined:
        throw new FlagError('A command is missing.')
      default:
        throw new FlagError(`There is no command "${command}".`)
    }
  } catch (error) {
    if (!(error instanceof FlagError)) throw error
    process.stderr.write(`tollgate: ${error.message} See tollgate --help.\n`)
    return EXIT.badFlags
  }
}
