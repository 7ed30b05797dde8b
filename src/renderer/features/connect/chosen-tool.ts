const SLOT = 'tollgate.connect-tool'

/** The tool that was chosen last, also before the last start. */
export function readChosenTool(): string | null {
  return localStorage.getItem(SLOT)
}

export function keepChosenTool(id: string): void {
  localStorage.setItem(SLOT, id)
}
