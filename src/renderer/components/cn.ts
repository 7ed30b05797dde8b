// Owns joining class names. Later names do not undo earlier ones: components offer variants instead.

export function cn(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}
