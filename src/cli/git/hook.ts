// `tollgate git-hook`: the hook of Claude Code that records where a session works.
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { chooseDataDir } from '../../host/data-dir.ts'
import { GatewayClient } from '../../host/gateway-client.ts'
import { reportGit } from './git-report.ts'

/** The input of the commands of hooks (code.claude.com/docs/en/hooks). */
const HookInput = z.object({ session_id: z.string().min(1), cwd: z.string().min(1) })

/** Runs the command. Always ends with 0 and without output, which Claude Code would show to its user or its model. */
export async function gitHook(args: readonly string[]): Promise<number> {
  const at = args.indexOf('--data-dir')
  try {
    const { session_id: clientSessionId, cwd } = HookInput.parse(JSON.parse(await text(process.stdin)))
    await reportGit(new GatewayClient(chooseDataDir(at < 0 ? undefined : args[at + 1])), cwd, {
      clientSessionId,
    })
  } catch {
    // Without a gateway, nothing is recorded; the commits are with the next report.
  }
  return 0
}
