import { configurableTools } from '../shared/tool-table.ts'
import { ignoreOutputErrors } from './crash-handlers.ts'
import { EXIT } from './exit-codes.ts'
import { appVersion } from './files.ts'
import { FlagError, readFlags } from './flags.ts'
import { serve } from './serve.ts'

const HELP = `Tollgate: a private, metered gateway on your own machine to every language model you use.

Usage: tollgate serve [--port N] [--data-dir D] [--credentials keychain|memory|env] [--log-level L]
       tollgate admin-key [--reset] [--data-dir D]
       tollgate setup TOOL [--dry-run | --undo] [--model M] [--name N] [--cap USD] [--data-dir D]

  --port N         port on 127.0.0.1 and ::1 (default: the port set in Settings, else 8655; 0: any free port)
  --data-dir D     folder for the ledger, settings and logs (default: TOLLGATE_DATA_DIR, else your app data folder)
  --credentials K  where provider credentials are stored: the system keychain (default), memory (until exit),
                   or env (read from TOLLGATE_CREDENTIAL_<PROVIDER> or <PROVIDER>_API_KEY)
  --log-level L    debug, info (default), warn or error; also TOLLGATE_LOG_LEVEL. debug logs every request,
                   but never a prompt, an answer or a key.

  tollgate admin-key   creates a key with the scope "admin" and prints it once, as a line of JSON. Use it when you
                       have lost every admin key. Tollgate must not be running on that folder. --reset also
                       revokes the admin keys that the first start and this command created; those with another
                       name stay valid, and are listed.

  tollgate setup       writes the configuration of a tool (${configurableTools.map(({ id }) => id).join(', ')})
                       so that it calls the running gateway, and shows what it changes. It creates a key with the
                       admin key in TOLLGATE_API_KEY, or writes the key given there. --dry-run only shows the
                       changes; --undo takes them back and revokes the key.

  tollgate --help      print this text
  tollgate --version   print the version

When it is ready, serve prints one line of JSON on stdout: baseUrl, dataDir, version, and on the first start with an
empty data folder adminKey, which is not shown again. Logs go to stderr and, as JSON, to logs/tollgate.log in the data
folder. SIGTERM and SIGINT settle running requests, then exit.

Exit codes: 0 success, 1 failure, 2 bad usage, 3 data folder unusable or in use by another process, 4 port in use,
5 Node.js too old.
`

const RESET = '--reset'

/** Runs a command line (without `node` and the script) and returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  ignoreOutputErrors()
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
        return await (await import('./admin-key.ts')).adminKey(
          readFlags(rest.filter((flag) => flag !== RESET)),
          { reset: rest.includes(RESET) },
        )
      case 'setup':
        return await (await import('./setup-command.ts')).setUpTool(rest)
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
