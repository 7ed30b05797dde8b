/**
 * The text of a freedesktop autostart entry (Desktop Entry Specification 1.5) that runs `command`, a program and its
 * arguments.
 */
export function autostartEntry(command: readonly string[]): string {
  return `[Desktop Entry]
Type=Application
Name=Tollgate
Comment=Metered gateway to language models
Exec=${command.map(quoteExec).join(' ')}
X-GNOME-Autostart-enabled=true
`
}

// The Exec key is unescaped twice: as a string value (a doubled backslash) and as a quoted argument. A percent sign
// begins a field code.
function quoteExec(argument: string): string {
  const quoted = argument.replaceAll(/["`$\\]/g, '\\$&').replaceAll('\\', '\\\\')
  return `"${quoted.replaceAll('%', '%%')}"`
}
