// Owns the mark: a gate with its bar down.

export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" fill="none" aria-hidden="true" className="shrink-0">
      <rect width="20" height="20" rx="5" className="fill-accent" />
      <path d="M6 5.5v9M14 5.5v9" stroke="white" strokeWidth="1.8" strokeLinecap="round" />
      <path d="M6 9.2h8" stroke="white" strokeWidth="1.8" strokeLinecap="round" strokeDasharray="2.4 2.6" />
    </svg>
  )
}
