// Owns the table of what the window may ask of the desktop: only what a browser cannot do. Everything else is HTTP.
import { z } from 'zod'

/** Pages the window may open in the user's browser; the main process holds the same list. */
export const EXTERNAL_ORIGINS = [
  'https://github.com',
  'https://platform.openai.com',
  'https://console.anthropic.com',
  'https://aistudio.google.com',
  'https://openrouter.ai',
  'https://console.groq.com',
  'https://console.mistral.ai',
  'https://platform.deepseek.com',
  'https://console.x.ai',
  'https://api.together.ai',
  'https://ollama.com',
  'https://lmstudio.ai',
] as const

export const DesktopState = z.object({
  version: z.string(),
  /** Where SDKs reach the gateway; null while it could not bind its port. */
  baseUrl: z.string().nullable(),
  port: z.number(),
  /** Why the gateway is not listening, in a sentence; null when it is. */
  listenError: z.string().nullable(),
  /** A free port to offer when the wanted one is taken. */
  suggestedPort: z.number().nullable(),
  dataDir: z.string(),
  launchAtLogin: z.boolean(),
  platform: z.string(),
})
export type DesktopState = z.infer<typeof DesktopState>

export const desktopCalls = {
  getState: { args: z.tuple([]), result: DesktopState },
  /** Listens on another port from now on, and remembers it. */
  setPort: { args: z.tuple([z.int().min(1).max(65535)]), result: DesktopState },
  setLaunchAtLogin: { args: z.tuple([z.boolean()]), result: DesktopState },
  openExternal: { args: z.tuple([z.url({ protocol: /^https$/ })]), result: z.null() },
  /** Ends the app as quitting does, and starts it again. */
  relaunch: { args: z.tuple([]), result: z.null() },
  revealDataDir: { args: z.tuple([]), result: z.null() },
} as const satisfies Record<string, { args: z.ZodTuple; result: z.ZodType }>

export type DesktopCall = keyof typeof desktopCalls

/** `window.desktop`, made by the preload from the table; and the one thing that the desktop tells the window. */
export type DesktopBridge = {
  [K in DesktopCall]: (
    ...args: z.input<(typeof desktopCalls)[K]['args']>
  ) => Promise<z.output<(typeof desktopCalls)[K]['result']>>
} & {
  /** Calls `listener` with a view's address whenever the menu or a notification leads there, until the result is called. */
  onNavigate(listener: (href: string) => void): () => void
}

/** The IPC channel on which the main process names a view to go to. */
export const NAVIGATE_CHANNEL = 'tollgate:navigate'

/** The IPC channel of a call. */
export function desktopChannel(call: DesktopCall): string {
  return `tollgate:${call}`
}
