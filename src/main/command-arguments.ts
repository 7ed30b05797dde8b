/**
 * What the installed `tollgate` adds before the arguments to run a command without a window (resources/bin/tollgate).
 */
export const LAUNCHER_SWITCHES: readonly string[] = [
  '--no-sandbox',
  '--no-zygote',
  '--ozone-platform=headless',
  '--disable-gpu',
  '--log-level=3',
  // The rest is for the command, such as an option --debug of a program that `tollgate run` starts.
  '--',
]

const OWN_SWITCHES = new Set(['--help', '-h', '--version', '-v'])

/**
 * The arguments of the command line if the packaged app was started with a command, such as `tollgate keys`; null if it was
 * started to open its window: without arguments, with switches, or with a link.
 */
export function commandArguments(argv: readonly string[]): string[] | null {
  const start = argv.findIndex((arg, at) => at > 0 && !LAUNCHER_SWITCHES.includes(arg))
  const [first] = start === -1 ? [] : argv.slice(start)
  if (first === undefined || first === '') return null
  const isCommand = OWN_SWITCHES.has(first) || /^[a-z][a-z-]*$/.test(first)
  return isCommand ? argv.slice(start) : null
}
