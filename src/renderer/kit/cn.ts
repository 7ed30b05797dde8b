/** Joins class names. It does not resolve conflicting Tailwind classes: components have variants for that. */
export function cn(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}
