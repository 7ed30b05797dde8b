/**
 * The variable that Codex reads the key from. Not TOLLGATE_API_KEY: Codex prefers the value in its own `.env` file, which
 * `tollgate setup` writes.
 */
export const RUN_KEY = 'TOLLGATE_RUN_KEY'

/**
 * Throws in a command of `tollgate run`. It is a hurdle for an agent that looks for a way past its cap, and no more: a program
 * that runs as the owner can do what the owner can.
 */
export function refuseInRun(): void {
  if (!process.env[RUN_KEY]) return
  throw new Error(
    'A command of tollgate run cannot change keys or limits, or begin another run. Do it in another terminal.',
  )
}
